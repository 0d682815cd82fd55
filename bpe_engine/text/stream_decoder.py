"""Tokens that come one by one -> text as soon as it is certain, never half a character.

push(9468)  ->  ""          the bytes f0 9f: a character begins
push(239)   ->  ""          98
push(235)   ->  "👍"        82: there it is
finish()    ->  ""          nothing was left over
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator


class StreamDecoder:
    """Token ids -> text, piece by piece; made by `Tokenizer.stream_decoder`. Not for use by several threads at a time.

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
            The text that has become certain by it; "" while a character is unfinished. Bytes that are no character are
            handled as `errors` says.

        Raises:
            UnknownTokenError: No token has this id.
            UnicodeDecodeError: The bytes are not UTF-8, and `errors` is "strict".
        """
        return self._decoder.decode(self._bytes_of(token))

    def finish(self) -> str:
        """The text of the bytes that are left, a character that never ended, as `errors` says. The decoder starts anew.
        Raises as `push`.
        """
        rest = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return rest

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """Decode tokens into pieces of text that are not empty, each as soon as it is certain, with `finish` at the
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
        """The bytes of a character that has begun and is not finished: three at most."""
        return self._decoder.getstate()[0]
