"""Readers of vocabulary files, one format a module. They know the format and nothing of caches, downloads or names."""
