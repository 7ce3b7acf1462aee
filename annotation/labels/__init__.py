"""People's judgements: projects, their items and labels, and the pages on which they are made."""
