"""Readers of vocabulary files, one module a format. They know the format only: no caches, downloads or published names."""
