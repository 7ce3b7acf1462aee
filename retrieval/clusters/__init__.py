"""Events without a portal: one's own documents, gathered by what they tell of."""
