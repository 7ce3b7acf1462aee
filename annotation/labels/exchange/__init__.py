"""Items and labels in the forms of other tools and back, and two projects made one."""
