"""Growing chunks to a budget: one grower, its rules and its options."""
