"""The page gate: which pages are no news reports, by name, and when too many are not."""
