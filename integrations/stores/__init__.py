"""Stores that the vectors of an index can be in: LanceDB, Qdrant, PostgreSQL with pgvector. What is asked of them: `chunker.index.vector_stores`."""
