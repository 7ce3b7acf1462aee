"""Items of labelling projects from what other verbs write: events, runs, facts, findings."""
