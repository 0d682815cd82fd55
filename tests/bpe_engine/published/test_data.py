"""The package data: the published tokens to the last byte, and a form that any list of tokens in merge order survives."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.tiktoken import dump_tiktoken
from bpe_engine.published import data as vocabularies
from bpe_engine.published.data import EMBEDDED, load_planes, load_ranks, packing
from bpe_engine.reference.dictionary import TokenDictionary

# From the publisher's own loader, written here by hand once more: the table in the package must not vouch for itself.
PUBLISHED = {
    "cl100k_base": (100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    "o200k_base": (199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
}


@st.composite
def tokens_in_merge_order(draw: st.DrawFn) -> list[bytes]:
    """Lists that grow by a single byte, or by two tokens joined where merging the bytes makes the whole."""
    tokens: list[bytes] = []
    for value, pairs in draw(
        st.lists(
            st.tuples(st.integers(0, 255), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)))), max_size=6
        )
    ):
        if bytes([value]) not in tokens:
            tokens.append(bytes([value]))
        for left, right in pairs:
            joined = tokens[left % len(tokens)] + tokens[right % len(tokens)]
            longer = [*tokens, joined]
            if joined not in tokens and TokenDictionary({token: i for i, token in enumerate(longer)}).halves(
                len(tokens)
            ):
                tokens = longer
    return tokens or [b"a"]


def planes_of(lefts: list[int], rights: list[int]) -> bytes:
    """The planes by the words of the docstring, apart from the code that `pack` uses."""
    return b"".join(
        bytes(half.to_bytes(3, "little")[place] for half in side) for side in (lefts, rights) for place in range(3)
    )


@pytest.mark.parametrize("name", EMBEDDED)
def test_hash_is_the_published_one(name: str) -> None:
    ranks = load_ranks(name)
    number_of_tokens, sha256 = PUBLISHED[name]
    assert len(ranks) == EMBEDDED[name] == number_of_tokens
    assert hashlib.sha256(dump_tiktoken(ranks)).hexdigest() == sha256


@pytest.mark.parametrize("name", EMBEDDED)
def test_tokens_are_those_of_another_package(name: str) -> None:
    openai = pytest.importorskip("rs_bpe.bpe", reason="there are no wheels of rs-bpe for this Python").openai
    other = getattr(openai, name)().bpe()
    for token, token_id in list(load_ranks(name).items())[::97]:
        assert bytes(other.decode_tokens([token_id])) == token


@pytest.mark.parametrize("name", EMBEDDED)
def test_planes_hold_the_last_merge_of_each_token(name: str) -> None:
    planes, number_of_tokens = load_planes(name), EMBEDDED[name]
    assert len(planes) == 6 * number_of_tokens
    dictionary = TokenDictionary(load_ranks(name))
    for token_id in [*range(300), *range(300, number_of_tokens, 61)]:
        entry = planes[token_id::number_of_tokens]
        left, right = (int.from_bytes(half, "little") for half in (entry[:3], entry[3:]))
        if right == 0xFFFFFF:
            assert dictionary.bytes_of[token_id] == bytes([left])
        else:
            assert (left, right) == dictionary.halves(token_id)


def test_the_form_is_the_documented_one() -> None:
    planes = planes_of([97, 98, 0, 2], [0xFFFFFF, 0xFFFFFF, 1, 0])
    assert packing.unpack_planes(packing.pack([b"a", b"b", b"ab", b"aba"])) == planes
    assert packing.unpack(zlib.compress(planes)) == [b"a", b"b", b"ab", b"aba"]


@given(tokens_in_merge_order())
def test_unpack_inverts_pack(tokens: list[bytes]) -> None:
    assert packing.unpack(packing.pack(tokens)) == tokens


def test_halves_of_all_three_bytes() -> None:
    # All 65,536 pairs of bytes are tokens, so the last of them have ids above 0xFFFF, and so have halves merged from
    # them.
    singles = [bytes([value]) for value in range(256)]
    pairs = [first + second for first in singles for second in singles]
    tokens = [*singles, *pairs, b"\xff\xff" + b"\xff\x00"]
    packed = packing.pack(tokens)
    assert packing.unpack_planes(packed)[len(tokens) - 1 :: len(tokens)].hex() == "ff0001" + "000001"
    assert packing.unpack(packed) == tokens


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([b"a", b""], "distinct and not empty"),
        ([b"a", b"b", b"a"], "distinct and not empty"),
        ([b"ab", b"a", b"b"], r"not in merge order: b'ab' \(id 0\) is merged from b'b' \(id 2\)"),
        ([b"a", b"ab"], r"b'ab' \(id 1\) contains the byte b'b', which is not a token"),
        ([b"a", b"b", b"aab"], r"b'aab' \(id 2\) has no halves"),
        (range(1 << 24), "16,777,216 tokens are too many to pack: the limit is 16,777,215"),
    ],
)
def test_pack_refuses_what_it_could_not_give_back(tokens: Any, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        packing.pack(tokens)


PACKED = packing.pack([bytes([value]) for value in range(256)])


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param(PACKED[:-10], id="cut"),
        pytest.param(PACKED[:60] + bytes([PACKED[60] ^ 1]) + PACKED[61:], id="changed"),
        pytest.param(b"plain text", id="not zlib"),
        pytest.param(zlib.compress(b""), id="empty"),
        pytest.param(zlib.compress(bytes(13)), id="not six planes"),
    ],
)
def test_both_notice_damage(damaged: bytes) -> None:
    with pytest.raises(VocabularyError, match="damaged"):
        packing.unpack_planes(damaged)
    with pytest.raises(VocabularyError, match="damaged"):
        packing.unpack(damaged)


halves = st.sampled_from([*range(6), 255, 256, 0xFFFFFE, 0xFFFFFF])


@given(st.lists(st.tuples(halves, halves), min_size=1, max_size=6))
def test_unpack_takes_earlier_tokens_and_bytes_and_nothing_else(pairs: list[tuple[int, int]]) -> None:
    wrong = [
        token_id
        for token_id, (left, right) in enumerate(pairs)
        if (left > 255 if right == 0xFFFFFF else max(left, right) >= token_id)
    ]
    packed = zlib.compress(planes_of([left for left, _ in pairs], [right for _, right in pairs]))
    if wrong:
        with pytest.raises(VocabularyError, match=f"damaged: token {wrong[0]} has a half that cannot be"):
            packing.unpack(packed)
        return
    tokens = packing.unpack(packed)
    assert len(tokens) == len(pairs)
    for token, (left, right) in zip(tokens, pairs, strict=True):
        assert token == (bytes([left]) if right == 0xFFFFFF else tokens[left] + tokens[right])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"damaged", "damaged: "),
        (zlib.compress(planes_of([97, 97], [0xFFFFFF, 0xFFFFFF])), "damaged: one occurs twice"),
    ],
)
def test_damaged_package_data_is_named(data: bytes, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "_package_data", lambda file_name: data)
    monkeypatch.setattr(vocabularies, "_loaded", {})
    with pytest.raises(VocabularyError, match=rf"cl100k_base\.tokens .*{message}.*; install the package again"):
        load_ranks("cl100k_base")
    assert not vocabularies._loaded


def test_damaged_planes_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "_package_data", lambda file_name: b"damaged")
    with pytest.raises(VocabularyError, match=r"o200k_base\.tokens .*; install the package again"):
        load_planes("o200k_base")


@pytest.mark.parametrize("load", [load_ranks, load_planes])
def test_only_embedded_names(load: Any) -> None:
    with pytest.raises(
        VocabularyError, match="'p50k_base' is not an embedded vocabulary; those are cl100k_base, o200k_base"
    ):
        load("p50k_base")


def test_threads_get_one_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "_loaded", {})
    start = threading.Barrier(4)
    found = []

    def load() -> None:
        start.wait()
        found.append(load_ranks("cl100k_base"))

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({id(ranks) for ranks in found}) == 1


def test_loading_does_not_import_the_network_modules() -> None:
    program = (
        "import sys; from bpe_engine.published.registry import load_vocabulary; load_vocabulary('cl100k_base').ranks;"
        "sys.exit(bool({'urllib.request', 'http.client', 'ssl'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
