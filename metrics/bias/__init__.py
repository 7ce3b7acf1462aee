"""Which languages a summary draws on, and whether that is more than chance."""
