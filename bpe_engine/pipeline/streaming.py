"""Stream decoders: they yield the text of `decoding.py` piece by piece, each as soon as later tokens can no longer change it.

    Replace "▁" by " ", ByteFallback, Fuse, Strip " " at the start
    push("▁Hello")   ->  "Hello"
    push("<0xE4>")   ->  ""            a run of bytes is held until it ends: only then is it known whether it is UTF-8
    push("<0xB8>")   ->  ""
    push("<0xAD>")   ->  ""
    push("!")        ->  "中!"

Each decoder becomes a stage that takes texts and returns texts. A stage that needs all texts, such as a replacement
after Fuse, holds them to the end.
"""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from bpe_engine.pipeline.decoders import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    Decoder,
    FuseDecoder,
    MetaspaceDecoder,
    ReplaceDecoder,
    SentencePieceDecoder,
    StripDecoder,
    WordEndDecoder,
    WordPieceDecoder,
)
from bpe_engine.pipeline.decoding import SentencePieceTexts, byte_level_bytes, decode_texts, fallback_byte, in_word
from bpe_engine.text.stream_decoder import StreamDecoder


class TextStreamDecoder(StreamDecoder):
    """Token ids -> text by decoders. `text_of` returns the text of a token, and raises UnknownTokenError for an unknown id."""

    def __init__(self, text_of: Callable[[int], str], decoders: Sequence[Decoder], errors: str = "replace") -> None:
        super().__init__(lambda token: text_of(token).encode("utf-8", "surrogatepass"), errors)
        self._text_of = text_of
        self._decoders = tuple(decoders)
        self._errors = errors
        self._stages = self._fresh()

    def push(self, token: int) -> str:
        """Decode one more token, and return the text that it settles. Raises UnknownTokenError if no token has the id."""
        texts = [self._text_of(token)]
        for stage in self._stages:
            texts = stage.push(texts)
        return "".join(texts)

    def finish(self) -> str:
        """Return the remaining text. The decoder starts anew."""
        texts: list[str] = []
        for stage in self._stages:
            texts = stage.push(texts) + stage.finish()
        self._stages = self._fresh()
        return "".join(texts)

    @property
    def pending(self) -> bytes:
        """The bytes that are held back because they may be half a character."""
        return b"".join(bytes(stage.held) for stage in self._stages if isinstance(stage, _Bytes | _SentencePiece))

    def _fresh(self) -> list[_Stage]:
        if not self._decoders:
            return [_Spaced()]
        stages: list[_Stage] = []
        is_fused = False
        for number, decoder in enumerate(self._decoders):
            if not is_fused:
                stages.append(_stage(decoder, self._errors))
            elif isinstance(decoder, StripDecoder) and not decoder.stop:
                stages.append(_StripStart(decoder))
            else:
                return [*stages, _Whole(self._decoders[number:], self._errors)]
            is_fused = is_fused or isinstance(decoder, FuseDecoder | ByteLevelDecoder)
        return stages


class _Stage(ABC):
    """One decoder of a stream."""

    @abstractmethod
    def push(self, texts: list[str]) -> list[str]:
        """Decode more texts, and return the results that later texts can no longer change."""

    def finish(self) -> list[str]:
        """Return the remaining texts."""
        return []


class _Each(_Stage):
    """Decodes each text by itself; `first` is the decoder for the first text, if it is another."""

    def __init__(self, decoder: Decoder, first: Decoder | None = None) -> None:
        self._decoder = decoder
        self._first: Decoder | None = first or decoder

    def push(self, texts: list[str]) -> list[str]:
        done = []
        for text in texts:
            done.append(decode_texts((self._first or self._decoder,), [text]))
            self._first = None
        return done


class _Spaced(_Stage):
    """Puts a space between all texts."""

    def __init__(self) -> None:
        self._before = ""

    def push(self, texts: list[str]) -> list[str]:
        done = [f"{self._before if not number else ' '}{text}" for number, text in enumerate(texts)]
        self._before = " " if texts else self._before
        return done


class _Bytes(_Stage):
    """Decodes runs of byte tokens, and passes other tokens on."""

    def __init__(self) -> None:
        self.held: list[int] = []

    def push(self, texts: list[str]) -> list[str]:
        done = []
        for text in texts:
            byte = fallback_byte(text)
            if byte is not None:
                self.held.append(byte)
            else:
                done += [*self.finish(), text]
        return done

    def finish(self) -> list[str]:
        held, self.held = bytes(self.held), []
        try:
            return [held.decode("utf-8")] if held else []
        except UnicodeDecodeError:
            return ["\ufffd"] * len(held)  # one text each, for the decoders after this one


class _SentencePiece(_Stage):
    """Decodes as `sentencepiece` does."""

    def __init__(self, decoder: SentencePieceDecoder) -> None:
        self._texts = SentencePieceTexts(decoder)

    @property
    def held(self) -> bytes:
        return self._texts.held

    def push(self, texts: list[str]) -> list[str]:
        return list(map(self._texts.push, texts))

    def finish(self) -> list[str]:
        return [self._texts.finish()]


class _ByteLevel(_Stage):
    """Decodes the characters of the byte alphabet."""

    def __init__(self, errors: str) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def push(self, texts: list[str]) -> list[str]:
        return [self._decoder.decode(byte_level_bytes(text)) for text in texts]

    def finish(self) -> list[str]:
        return [self._decoder.decode(b"", final=True)]


class _StripStart(_Stage):
    """Strips the start of all texts together."""

    def __init__(self, decoder: StripDecoder) -> None:
        self._content = decoder.content
        self._left = decoder.start

    def push(self, texts: list[str]) -> list[str]:
        done = []
        for text in texts:
            place = 0
            while self._left and text[place : place + 1] == self._content:
                place += 1
                self._left -= 1
            if place < len(text):
                self._left = 0
            done.append(text[place:])
        return done


class _Whole(_Stage):
    """Runs decoders that need all texts at once."""

    def __init__(self, decoders: Sequence[Decoder], errors: str) -> None:
        self._decoders = decoders
        self._errors = errors
        self._held: list[str] = []

    def push(self, texts: list[str]) -> list[str]:
        self._held += texts
        return []

    def finish(self) -> list[str]:
        return [decode_texts(self._decoders, ["".join(self._held)], self._errors)]


class _WordPiece(_Stage):
    """Decodes the first text, and each later text, as WordPiece does."""

    def __init__(self, decoder: WordPieceDecoder) -> None:
        self._decoder = decoder
        self._is_first = True

    def push(self, texts: list[str]) -> list[str]:
        done = []
        for text in texts:
            done.append(in_word(self._decoder, text, is_first=self._is_first))
            self._is_first = False
        return done


class _WordEnds(_Stage):
    """Decodes all texts but the last, which waits for the next."""

    def __init__(self, decoder: WordEndDecoder) -> None:
        self._suffix = decoder.suffix
        self._held: list[str] = []

    def push(self, texts: list[str]) -> list[str]:
        known = [*self._held, *texts]
        self._held = known[-1:]
        return [text.replace(self._suffix, " ") for text in known[:-1]]

    def finish(self) -> list[str]:
        return [text.replace(self._suffix, "") for text in self._held]


class _Same(_Stage):
    """Passes all texts on unchanged."""

    def push(self, texts: list[str]) -> list[str]:
        return texts


def _stage(decoder: Decoder, errors: str) -> _Stage:
    """Return the stage for a decoder that comes before the texts are joined."""
    match decoder:
        case ByteLevelDecoder():
            return _ByteLevel(errors)
        case ByteFallbackDecoder():
            return _Bytes()
        case SentencePieceDecoder():
            return _SentencePiece(decoder)
        case MetaspaceDecoder(replacement):
            return _Each(MetaspaceDecoder(replacement, "never"), first=decoder)
        case FuseDecoder():
            return _Same()
        case WordPieceDecoder():
            return _WordPiece(decoder)
        case WordEndDecoder():
            return _WordEnds(decoder)
        case StripDecoder() | ReplaceDecoder():
            return _Each(decoder)
