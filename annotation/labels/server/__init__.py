"""The pages on which people judge: a small web server for one project."""
