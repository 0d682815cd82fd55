"""Text for tokenizers: input of callers, offsets in characters and bytes, classes of characters, and truncation."""

import pkgutil


def package_text(name: str) -> str:
    """Read an ASCII text file of this package. Raises OSError if it is missing."""
    # importlib.resources would do the same and take 20 ms to import.
    data = pkgutil.get_data("bpe_engine", name)
    if data is None:
        raise OSError(f"the loader of bpe_engine gives no access to its file {name}")
    return data.decode("ascii")
