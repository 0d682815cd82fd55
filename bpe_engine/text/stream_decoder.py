"""Decode tokens that come one by one into text, each character as soon as it is complete.

push(9468)  ->  ""          the bytes f0 9f: the start of a character
push(239)   ->  ""          98
push(235)   ->  "👍"        82: the character is complete
finish()    ->  ""          nothing is left over
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator


class StreamDecoder:
    """Token ids -> text, piece by piece; made by `Tokenizer.stream_decoder`. Not thread-safe.

    The results of `push`, and then of `finish`, join to `tokenizer.decode` of the same ids. At most three bytes are
    kept between two calls, so a token costs the time of its own bytes, however long the text has become.
    """

    def __init__(self, bytes_of: Callable[[int], bytes], errors: str = "replace") -> None:
        codecs.lookup_error(errors)
        self._bytes_of = bytes_of
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def push(self, token: int) -> str:
        """Decode one more token.

        Args:
            token: The id of the token.

        Returns:
            The text that this token completes; "" while a character is unfinished. `errors` decides about invalid
            bytes.

        Raises:
            UnknownTokenError: No token has this id.
            UnicodeDecodeError: The bytes are not UTF-8, and `errors` is "strict".
        """
        return self._decoder.decode(self._bytes_of(token))

    def finish(self) -> str:
        """Return the text of an unfinished character, as `errors` decides. The decoder starts anew. Raises as `push`."""
        rest = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return rest

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """Decode tokens into pieces of text that are not empty, each as soon as it is complete, with `finish` at the
        end.

        Args:
            tokens: Token ids.
        """
        for token in tokens:
            if piece := self.push(token):
                yield piece
        if piece := self.finish():
            yield piece

    @property
    def pending(self) -> bytes:
        """The bytes of an unfinished character: three at most."""
        return self._decoder.getstate()[0]

    def __repr__(self) -> str:
        return f"<StreamDecoder: {len(self.pending)} bytes pending>"
