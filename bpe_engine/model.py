"""The encodings of models, under tiktoken's names: `from bpe_engine.model import MODEL_TO_ENCODING`."""

from bpe_engine.encoding import encoding_for_model
from bpe_engine.published.registry import encoding_name_for_model, published_encodings

__all__ = ["MODEL_PREFIX_TO_ENCODING", "MODEL_TO_ENCODING", "encoding_for_model", "encoding_name_for_model"]

MODEL_TO_ENCODING = {model: encoding.name for encoding in published_encodings().values() for model in encoding.models}
"""Name of a model -> name of its encoding."""

MODEL_PREFIX_TO_ENCODING = {
    prefix: encoding.name for encoding in published_encodings().values() for prefix in encoding.model_prefixes
}
"""Prefix of a model's name -> name of its encoding; the longest prefix counts."""
