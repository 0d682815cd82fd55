"""Growing chunks to a budget: the grower, its rules and its options."""
