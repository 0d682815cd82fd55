"""Stores for the vectors of an index: Chroma, Elasticsearch and OpenSearch, LanceDB, Milvus, Qdrant, PostgreSQL with pgvector, Weaviate.

`chunker.index.VectorStore` is the protocol that they implement.
"""
