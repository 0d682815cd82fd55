"""Stores for the vectors of an index: LanceDB, Qdrant, PostgreSQL with pgvector.

`chunker.index.VectorStore` is the protocol that they implement.
"""
