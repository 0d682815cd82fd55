"""Stores for the vectors of an index: LanceDB, Qdrant, PostgreSQL with pgvector. `chunker.index.vector_stores` has the
protocol.
"""
