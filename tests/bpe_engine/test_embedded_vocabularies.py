"""The package data: the published tokens to the last byte, and a form that any list of distinct tokens survives."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rs_bpe.bpe import openai

from bpe_engine import vocabularies
from bpe_engine.errors import VocabularyError
from bpe_engine.formats.tiktoken import dump_tiktoken
from bpe_engine.vocabularies import EMBEDDED, load_ranks, packing

# From the publisher's own loader, written here by hand once more: the table in the package must not vouch for itself.
PUBLISHED = {
    "cl100k_base": (100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    "o200k_base": (199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
}

# Lists that contain every single byte, as byte-level vocabularies do, and longer tokens that leave the value 255 unused.
token_lists = st.lists(
    st.binary(min_size=2, max_size=6).map(lambda token: token.replace(b"\xff", b"?")), unique=True
).flatmap(lambda longer: st.permutations([*(bytes([value]) for value in range(256)), *longer]))


@pytest.mark.parametrize("name", EMBEDDED)
def test_hash_is_the_published_one(name: str) -> None:
    ranks = load_ranks(name)
    number_of_tokens, sha256 = PUBLISHED[name]
    assert len(ranks) == number_of_tokens
    assert hashlib.sha256(dump_tiktoken(ranks)).hexdigest() == sha256


@pytest.mark.parametrize("name", EMBEDDED)
def test_tokens_are_those_of_another_package(name: str) -> None:
    other = getattr(openai, name)().bpe()
    for token, token_id in list(load_ranks(name).items())[::97]:
        assert bytes(other.decode_tokens([token_id])) == token


@given(token_lists)
def test_unpack_inverts_pack(tokens: list[bytes]) -> None:
    assert packing.unpack(packing.pack(tokens)) == tokens


@pytest.mark.parametrize(
    "tokens",
    [
        [b"a", b""],
        [b"a", b"b", b"a"],
        [b"a", b"b", b"ab"],  # both values occur inside a longer token
        [b"aa", b"bb"],  # and here no value is a token by itself
    ],
)
def test_pack_refuses_what_it_could_not_give_back(tokens: list[bytes]) -> None:
    with pytest.raises(VocabularyError):
        packing.pack(tokens)


@pytest.mark.parametrize("damage", ["cut", "changed", "not zlib", "empty", "no separator", "two separators"])
def test_unpack_notices_damage(damage: str) -> None:
    packed = packing.pack([bytes([value]) for value in range(256)])
    damaged = {
        "cut": packed[:-10],
        "changed": packed[:60] + bytes([packed[60] ^ 1]) + packed[61:],
        "not zlib": b"plain text",
        "empty": zlib.compress(b""),
        "no separator": zlib.compress(b"\xffa\xffb"),
        "two separators": zlib.compress(b"\xffa\xff\xffb\xff"),
    }[damage]
    with pytest.raises(VocabularyError, match="damaged"):
        packing.unpack(damaged)


def test_damaged_package_data_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "_package_data", lambda file_name: b"damaged")
    load_ranks.cache_clear()
    try:
        with pytest.raises(VocabularyError, match=r"cl100k_base\.tokens .* install the package again"):
            load_ranks("cl100k_base")
    finally:
        load_ranks.cache_clear()


def test_only_embedded_names() -> None:
    with pytest.raises(
        VocabularyError, match="'p50k_base' is not an embedded vocabulary; those are cl100k_base, o200k_base"
    ):
        load_ranks("p50k_base")


def test_loading_does_not_import_the_network_modules() -> None:
    program = (
        "import sys; from bpe_engine.registry import load_vocabulary; load_vocabulary('cl100k_base');"
        "sys.exit(bool({'urllib.request', 'http.client', 'ssl'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
