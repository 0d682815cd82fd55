"""Specs of prompts: what they say, what is wrong with them and where, and which files they take."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker.prompt import ChatFormat, Item, PromptConfigurationError, Section, assemble
from chunker.prompt.gathering import Gathered, gather
from chunker.prompt.items import Truncate
from chunker.prompt.prompt_parts import prompt_parts
from chunker.prompt.spec import LoadedSpec, SpecError, load_spec

YAML = """\
budget: 800
reserve: 100
separator: "\\n---\\n"
items:
  - {id: system, text: "Be {{brief}}.", required: true, stable: true}
  - section: context
    share: 0.6
    items:
      - glob: src/*.py
        priority: 5.5
        truncate: tail
  - {id: question, file: question.txt, required: true}
"""
TOML = """\
budget = 800
reserve = 100
separator = "\\n---\\n"
[[items]]
id = "system"
text = "Be {{brief}}."
required = true
stable = true
[[items]]
section = "context"
share = 0.6
[[items.items]]
glob = ["src/*.py"]
priority = 5.5
truncate = "tail"
[[items]]
id = "question"
file = "question.txt"
required = true
"""


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.load("o200k_base")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder to take files from."""
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "a.py").write_text("def a():\n    return 1\n")
    (tmp_path / "src" / "b.py").write_text("\ufeffdef b():\n    return 2\n", "utf-8")
    (tmp_path / "src" / "deep" / "c.py").write_text("def c(): ...\n")
    (tmp_path / "notes.md").write_text("# One\n\nSome words here.\n\n# Two\n\nSome other words there.\n")
    (tmp_path / "question.txt").write_text("What is it?")
    return tmp_path


def written(folder: Path, spec: str | dict[str, Any], name: str = "spec.yaml") -> LoadedSpec:
    path = folder / name
    path.write_text(spec if isinstance(spec, str) else json.dumps(spec), "utf-8")
    return load_spec(path)


def gathered(folder: Path, tokenizer: Tokenizer, entries: list[dict[str, Any]], **options: Any) -> Gathered:
    return gather(written(folder, {"budget": 500, "items": entries, **options}, "spec.json"), folder, tokenizer)


def names(items: Sequence[object]) -> list[Any]:
    found: list[Any] = []
    for item in items:
        assert isinstance(item, Item | Section)
        found.append(item.id if isinstance(item, Item) else [item.name, *names(item.items)])
    return found


def test_the_three_formats_say_the_same(root: Path, tokenizer: Tokenizer) -> None:
    yaml = written(root, YAML)
    toml = written(root, TOML, "spec.toml")
    again = written(root, yaml.spec.model_dump_json(), "spec.json")
    assert yaml.spec == toml.spec == again.spec
    found = gather(yaml, root, tokenizer)
    assert names(found.items) == ["system", ["context", "src/a.py", "src/b.py"], "question"]
    prompt = assemble(found.items, 800, reserve=100, tokenizer=tokenizer, separator=yaml.spec.separator)
    # Braces are text like any other, and a byte order mark is not a part of a prompt.
    assert prompt.text == ("Be {{brief}}.\n---\ndef a():\n    return 1\n\ndef b():\n    return 2\n\n---\nWhat is it?")
    assert prompt.token_count == tokenizer.count(prompt.text)


def test_every_field_arrives(root: Path, tokenizer: Tokenizer) -> None:
    fields: dict[str, Any] = {
        "priority": 3, "required": False, "stable": False, "truncate": "middle", "truncate_at": "line", "ellipsis": "[..]",
        "min_tokens": 4, "max_tokens": 90, "grow": 2.0, "group": "g", "role": "user", "name": "ann",
    }  # fmt: skip
    call = {"id": "c1", "function": {"name": "f"}}
    section: dict[str, Any] = {
        "tokens": 80, "min_tokens": 5, "max_tokens": 90, "separator": "|", "header": "h", "footer": "f", "fill": "strict", "role": "user",
    }  # fmt: skip
    found = gathered(
        root,
        tokenizer,
        [
            {"text": "t", "id": "one", **fields},
            {"file": "src/a.py", "id": "two", **fields},
            {"glob": "notes.md", **fields},
            {"text": "calls", "id": "four", "tool_calls": [call]},
            {"text": "answer", "id": "five", "tool_call_id": "c1"},
            {"section": "s", "items": [{"section": "inner", "share": 0.5, "items": []}], **section},
        ],
        chat_format="chatml",
    )
    assert found.items == [
        Item("t", id="one", **fields),
        Item("def a():\n    return 1\n", id="two", **fields),
        Item((root / "notes.md").read_text(), id="notes.md", **fields),
        Item("calls", id="four", tool_calls=(call,)),
        Item("answer", id="five", tool_call_id="c1"),
        Section("s", [Section("inner", [], share=0.5)], **section),
    ]


def test_a_chat_format_of_ones_own(root: Path) -> None:
    frame = {"name": "mine", "prefix": "<{role}>", "special": ["<user>"]}
    loaded = written(root, {"budget": 50, "chat_format": frame, "items": [{"text": "x"}]}, "s.json")
    assert loaded.spec.chat_format == ChatFormat(name="mine", prefix="<{role}>", special=("<user>",))


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("budget: 800\nitems:\n  - text: x\n    priority: high\n", ["line 4: items[0].priority: input should be a valid number"]),
        ("items:\n  - text: x\n", ["line 1: budget: field required"]),
        (
            "budget: 1\nitems:\n  - section: s\n    itms: []\n",
            ["line 3: items[0].items: field required", "line 4: items[0].itms: unknown field; did you mean items?"],
        ),
        ("budget: 1\nitems:\n  - {text: x, file: y}\n", ["line 3: items[0]: an entry is a mapping with exactly one of text,"]),
        ("budget: 1\nitems:\n  - just a word\n", ["line 3: items[0]: an entry is a mapping"]),
        ("budget: 1\nitems:\n  -\n    - 1\n", ["line 4: items[0]: an entry is a mapping"]),
        ("budget: 1\nitems:\n  - text: yes\n", ["line 3: items[0].text: input should be a valid string"]),
        ("budget: 1\nitems:\n  - text: 2024-01-02\n", ["line 3: items[0].text: input should be a valid string"]),
        ('budget: 1\nitems:\n  - text: "\\ud800"\n', ["line 3: items[0].text: half of a surrogate pair, U+D800"]),
        ("budget: 1\nitems:\n  - {glob: a, truncate: sideways}\n", ["line 3: items[0].truncate: input should be 'tail', 'head' or 'middle'"]),
        ("budget: 1\nitems:\n  - {glob: [1]}\n", ["line 3: items[0].glob[0]: input should be a valid string"]),
        ("budget: 1\nitems:\n  - {glob: a, chunks: 0}\n", ["line 3: items[0].chunks.max_tokens: input should be greater than"]),
        ("budget: 1\nitems:\n  - {glob: a, chunks: true}\n", ["line 3: items[0].chunks: input should be"]),
        ("budget: 1\nitems: []\n", ["line 2: items: list should have at least 1 item"]),
        ("budget: '1'\nitems: [{text: x}]\n", ["line 1: budget: input should be a valid integer"]),
        ("budget: 1\nchat_format: {nam: x}\nitems: [{text: x}]\n",
         ["line 2: chat_format.nam: unknown field; did you mean name?", "chat_format.name: field required"]),
        ("budget: 1\nmax_tokens: 5\nitems: [{text: x}]\n", ["line 2: max_tokens: unknown field; the fields are budget, reserve, "]),
        ("budget: 1\nitems: [{text: x, heading: y}]\n", ["line 2: items[0].heading: unknown field; the fields are priority, "]),
        ("budget: 1\nitems: [{glob: x, overlap: 1}]\n", ["line 2: items[0].overlap: unknown field; the fields are "]),
        ("budget: 1\nitems: [{section: s, items: [{file: x, max_token: 1}]}]\n", ["items[0].max_token: unknown field; did you mean max_tokens?"]),
        ("budget: 1\nitems: [{glob: x, chunks: {max_token: 1}}]\n", ["items[0].chunks.max_token: unknown field; did you mean max_tokens?"]),
        ("budget: 1\nbudget: 2\nitems: [{text: x}]\n", ["line 2: the key 'budget' occurs twice in one mapping"]),
        ("budget: 1\na: &a {x: 1}\nb: {<<: *a}\n", ["line 3: merge keys"]),
        ("budget: 1\n? [a]\n: 1\n", ["line 2: a key must be a word"]),
        ("budget: [1\nitems: x\n", ["line 2: "]),
        ("budget: !!python/object/apply:os.system [echo]\n", ["line 1: could not determine a constructor"]),
        ("budget: 9" + "9" * 5000 + "\n", ["Exceeds the limit"]),
        ("a: 1\n---\nb: 2\n", ["expected a single document"]),
        ("", ["input should be a valid dictionary"]),
        ("\0", ["unacceptable character #x0000"]),
        ("[" * 600, ["nested too deeply"]),
        ("budget: &a [*a]\n", ["nested more than 100 deep"]),
        ("\n".join(["a0: &a0 [1,1,1,1,1,1,1,1,1,1]"] + [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]), ["more than 200,000 values"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, complaints: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        written(tmp_path, text)
    told = str(caught.value).splitlines()
    for complaint in complaints:
        assert any(line.startswith(str(tmp_path / "spec.yaml") + ": ") and complaint in line for line in told), told
    assert isinstance(caught.value, PromptConfigurationError)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("spec.json", b'{"budget": 1, "budget": 2}', "the key 'budget' occurs twice"),
        ("spec.json", b'{"budget": 1,', "line 1 column"),
        ("spec.json", b"[" * 200_000, "nested too deeply"),
        ("spec.json", b'{"budget": 1, "items": [{"text": 5}]}', "items[0].text: input should be a valid string"),
        ("spec.toml", b"budget = \n", "line 1"),
        ("spec.toml", b"a = " + b"[" * 20_000, "nested too deeply"),
        ("spec.txt", b"", "ends in .yaml, .yml, .toml, .json"),
        ("spec.yml", b"budget: 1\nitems: \xff\n", "line 2: not UTF-8"),
    ],
)
def test_what_is_wrong_in_other_formats(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SpecError) as caught:
        load_spec(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert complaint in str(caught.value)


SYMBOLS = st.lists(
    st.sampled_from([
        "budget", "items", "text", ": ", "\n", "- ", "{", "}", "[", "]", '"', "'", "&a ", "*a", "!!str ",
        "|", ">", "#", "1", ",", "?", "=", "\t", "\\ud800", "é", "\0", "  ",
    ]),
    max_size=40,
)  # fmt: skip


@given(parts=SYMBOLS, suffix=st.sampled_from([".yaml", ".json", ".toml"]))
@example(["budget: 1\n", "items: [{text: x}]"], ".yaml")
@settings(max_examples=150, deadline=None)
def test_whatever_stands_in_a_file_is_a_spec_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_text("".join(parts), "utf-8")
    try:
        assert load_spec(path).spec.items
    except SpecError as error:
        assert str(error).startswith(f"{path}: ")  # noqa: PT017 - most are errors, some are not


def test_files_are_those_of_a_walk_each_once(root: Path, tokenizer: Tokenizer) -> None:
    (root / ".gitignore").write_text("build/\n*.log\n")
    (root / "build").mkdir()
    (root / "build" / "out.py").write_text("no")
    (root / "src" / "x.log").write_text("no")
    (root / ".hidden").mkdir()
    (root / ".hidden" / "h.py").write_text("hidden")
    entries: list[dict[str, Any]] = [
        {"glob": "src/deep/**", "priority": 9},
        {"glob": "**/*.py", "exclude": "**/b.*"},
        {"file": "./src/../src/a.py"},
        {"glob": ["src/*", "*.md"]},
        {"glob": "**/h.py", "hidden": True},
        {"glob": "nothing/*"},
    ]
    found = gathered(root, tokenizer, entries)
    # What is named is the named entry's, wherever that stands.
    assert names(found.items) == ["src/deep/c.py", "src/a.py", "notes.md", "src/b.py", ".hidden/h.py"]
    assert found.unmatched == ["nothing/*"]
    assert found.problems == []
    everything = gathered(root, tokenizer, [{"glob": "**"}])
    assert names(everything.items) == ["notes.md", "question.txt", "src/a.py", "src/b.py", "src/deep/c.py"]
    assert names(gathered(root, tokenizer, [{"glob": "*"}]).items) == ["notes.md", "question.txt"]


def test_secrets_stay_out(root: Path, tokenizer: Tokenizer) -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n"
    secrets = {
        ".env": "A=1",
        "src/server.key": "x",
        "src/ID_RSA": "x",
        "src/innocent.py": key,
        "src/credentials.json": "{}",
    }
    harmless = {".env.example": "A=", "src/keys.py": f"# begins {key}", "src/environment.py": "x = 1"}
    for name, text in {**secrets, **harmless}.items():
        (root / name).write_text(text)
    found = gathered(root, tokenizer, [{"glob": ["**"], "hidden": True}])
    assert sorted(found.secrets) == sorted(secrets)
    assert set(harmless) <= set(names(found.items))
    assert not set(secrets) & set(names(found.items))
    taken = gathered(root, tokenizer, [{"glob": ["**"], "hidden": True, "secrets": True}])
    assert set(secrets) <= set(names(taken.items))
    with pytest.raises(SpecError, match=r"items\[0\].file: .env looks like a secret"):
        gathered(root, tokenizer, [{"file": ".env"}])
    assert names(gathered(root, tokenizer, [{"file": ".env", "secrets": True}]).items) == [".env"]


def test_large_files_and_archives_stay_out(root: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunker.prompt.gathering.MAX_FILE_BYTES", 1000)
    (root / "large.md").write_text("x" * 1001)
    (root / "whole.md").write_text("x" * 1000)
    (root / "packed.md").write_bytes(gzip.compress(b"\0" * 100_000))
    found = gathered(root, tokenizer, [{"glob": "*.md"}])
    assert names(found.items) == ["notes.md", "whole.md"]
    told = {Path(problem.path).name: (problem.reason.split(":")[0], problem.failed) for problem in found.problems}
    assert told == {"large.md": ("left out", True), "packed.md": ("binary", False)}
    named = gathered(root, tokenizer, [{"file": "large.md", "required": True}])
    assert (names(named.items), named.lacking) == ([], ["large.md"])


def test_a_required_file_has_text_and_of_many_files_some_may_be_empty(root: Path, tokenizer: Tokenizer) -> None:
    (root / "empty.md").write_text("")
    for more in ({}, {"chunks": 20}, {"heading": "{path}:"}):
        found = gathered(root, tokenizer, [{"file": "empty.md", "required": True, **more}])
        assert (found.items, found.lacking) == ([], ["empty.md"])
        assert gathered(root, tokenizer, [{"file": "empty.md", **more}]).lacking == []
    found = gathered(root, tokenizer, [{"glob": "*.md", "required": True}])
    assert found.lacking == []
    prompt = assemble(found.items, 1000)
    assert {item.id: item.status for item in prompt.report.items} == {"empty.md": "dropped", "notes.md": "kept"}


def test_nothing_in_a_text_is_run_or_filled_in(root: Path, tokenizer: Tokenizer) -> None:
    text = "{{ 7 * 7 }} {% include 'x' %} ${HOME} $(touch was-run) `touch was-run` {path} {0} %s !!python/object/apply:os.system ['touch was-run']"
    (root / "attack.txt").write_text(text)
    made = gathered(root, tokenizer, [{"file": "attack.txt"}, {"text": text, "id": text}])
    assert assemble(made.items, 1000, separator="\n").text == f"{text}\n{text}"
    spec = root / "tag.yaml"
    spec.write_text("budget: 10\nitems:\n  - {text: !!python/object/apply:os.system ['touch was-run']}\n")
    with pytest.raises(SpecError):
        load_spec(spec)
    assert not (root / "was-run").exists()
    assert not Path("was-run").exists()


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"file": "../outside.txt"}, "file: ../outside.txt is outside of"),
        ({"file": "/etc/hostname"}, "file: /etc/hostname is outside of"),
        ({"file": "link.txt"}, "file: link.txt is outside of"),
        ({"file": "loop"}, "there is no file loop in|loop is not a valid path"),
        ({"file": "pipe"}, "there is no file pipe in"),
        ({"file": "zero"}, "file: zero is outside of"),
        ({"file": "a\0b"}, "is not a valid path"),
        ({"file": "missing.txt"}, "there is no file missing.txt in"),
        ({"file": "src"}, "there is no file src in"),
        ({"glob": "../*"}, "glob: ../* leads out of"),
        ({"glob": "/etc/*"}, "glob: /etc/* leads out of"),
        ({"glob": "src/../../*"}, "leads out of"),
        ({"section": "s", "items": [{"file": "notes.md"}, {"file": "./notes.md"}]}, "items[0].items[1].file: notes.md is already taken by another"),
    ],
)  # fmt: skip
@pytest.mark.skipif(sys.platform == "win32", reason="paths and links of POSIX")
def test_nothing_outside_of_the_root_is_read(
    root: Path, tokenizer: Tokenizer, entry: dict[str, Any], complaint: str
) -> None:
    inside = root / "inside"
    inside.mkdir()
    (root / "outside.txt").write_text("outside")
    (inside / "notes.md").write_text("# Notes\n")
    (inside / "src").mkdir()
    (inside / "link.txt").symlink_to(root / "outside.txt")
    (inside / "folder").symlink_to(root / "src")
    (inside / "loop").symlink_to("loop")
    (inside / "zero").symlink_to("/dev/zero")
    os.mkfifo(inside / "pipe")
    with pytest.raises(SpecError) as caught:
        gathered(inside, tokenizer, [entry])
    assert any(one in str(caught.value) for one in complaint.split("|"))
    # A walk does not follow links either.
    assert names(gathered(inside, tokenizer, [{"glob": "**"}]).items) == ["notes.md"]


def test_chunks_and_headings(root: Path, tokenizer: Tokenizer) -> None:
    chunks = {"glob": "*.md", "chunks": {"max_tokens": 10, "context": True}, "heading": "== {path} {role}\n"}
    found = gathered(root, tokenizer, [chunks])
    (section,) = found.items
    assert isinstance(section, Section)
    assert (section.name, section.header, section.role) == ("notes.md", "== notes.md {role}\n", None)
    assert names(section.items) == ["notes.md#1", "notes.md#2"]
    assert all(isinstance(item, Item) and tokenizer.count(item.content) <= 10 for item in section.items)
    prompt = assemble(found.items, 500, tokenizer=tokenizer)
    assert prompt.text.startswith("== notes.md {role}\n")
    assert "Some words here." in prompt.text
    short = gathered(root, tokenizer, [{"glob": "*.md", "chunks": 10}])
    assert names(short.items) == [["notes.md", "notes.md#1", "notes.md#2"]]


@pytest.mark.parametrize("outer", [None, "system"])
def test_a_heading_is_part_of_the_message(root: Path, tokenizer: Tokenizer, outer: str | None) -> None:
    entry = {"glob": "src/*.py", "heading": "File {path}:\n", **({} if outer else {"role": "assistant"})}
    entries = [{"section": "all", "role": outer, "items": [entry]}]
    found = gathered(root, tokenizer, entries, chat_format="chatml")
    prompt = assemble(found.items, 500, tokenizer=tokenizer, chat_format="chatml")
    a, b = "File src/a.py:\ndef a():\n    return 1\n", "File src/b.py:\ndef b():\n    return 2\n"
    if outer:
        assert [(message.role, message.content) for message in prompt.messages] == [("system", f"{a}\n{b}")]
    else:
        assert [(message.role, message.content) for message in prompt.messages] == [("assistant", a), ("assistant", b)]


def test_what_cannot_be_read_is_told_and_the_rest_goes_on(root: Path, tokenizer: Tokenizer) -> None:
    (root / "src" / "bad.py").write_bytes(b"caf\xe9\n")
    (root / "src" / "picture.py").write_bytes(b"\x89PNG\0\0")
    found = gathered(root, tokenizer, [{"glob": "src/*.py", "required": True}])
    assert names(found.items) == ["src/a.py", "src/b.py"]
    assert {Path(problem.path).name: problem.failed for problem in found.problems} == {
        "bad.py": True,
        "picture.py": False,
    }
    assert found.lacking == ["src/bad.py"]
    assert gathered(root, tokenizer, [{"glob": "src/*.py"}]).lacking == []


def test_the_spec_and_the_outputs_are_no_material(root: Path, tokenizer: Tokenizer) -> None:
    (root / "page.html").write_text("old")
    loaded = written(root, {"budget": 50, "items": [{"glob": "*"}]}, "spec.json")
    found = gather(loaded, root, tokenizer, [str(root / "page.html")])
    assert names(found.items) == ["notes.md", "question.txt"]


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_parts_are_the_text_and_say_whose_it_is(data: st.DataObject) -> None:
    text = st.sampled_from(["a", "a a", "\n\n", "Some words. And others.", "漢字", "x" * 30, "user\n", ""])
    modes: list[Truncate | None] = [None, "head", "tail", "middle"]
    mode = st.sampled_from(modes)
    items: list[Item | Section] = []
    for number in range(data.draw(st.integers(1, 8))):
        one = Item(
            data.draw(text) * data.draw(st.integers(1, 6)), id=str(number), truncate=data.draw(mode), ellipsis=data.draw(st.sampled_from(["…", "", "a"]))
        )  # fmt: skip
        items.append(one if data.draw(st.booleans()) else Section(f"s{number}", [one], share=0.1, separator="a"))
    chat = data.draw(st.sampled_from([None, "chatml", "openai", "plain"]))
    prompt = assemble(items, data.draw(st.integers(12, 80)), chat_format=chat, separator="a")
    parts = prompt_parts(prompt, items, chat_format=chat, separator="a")
    assert "".join(part.text for part in parts) == prompt.text
    of_items = {part.item: part.text for part in parts if part.item is not None}
    for place, (report, entry) in enumerate(zip(prompt.report.items, items, strict=True)):
        item = entry if isinstance(entry, Item) else entry.items[0]
        assert isinstance(item, Item)
        assert (place in of_items) == (report.status != "dropped")
        if report.status == "kept":
            assert of_items[place] == item.content
        elif report.status == "truncated":
            pieces = "".join(item.content[start:end] for start, end in report.kept)
            assert of_items[place].replace(item.ellipsis, "", 1) == pieces.replace(item.ellipsis, "", 1) or (
                len(of_items[place]) == len(pieces) + len(item.ellipsis)
            )


def test_parts_of_another_prompt_are_refused() -> None:
    prompt = assemble([Item("one"), Item("two")], 50)
    with pytest.raises(ValueError, match="not made from these items"):
        prompt_parts(prompt, [Item("one"), Item("tow")])


def test_a_search_is_a_section_of_parts(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    from chunker.index import Index  # noqa: PLC0415 - needs numpy, which is an extra

    (tmp_path / "drawer.py").write_text("def open_drawer(key):\n    return key\n\n\ndef close_it():\n    return 2\n")
    (tmp_path / "other.md").write_text("# Onions\n\nThey simmer.\n")
    Index.open(tmp_path / ".chunker").sync(tmp_path)
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "budget: 300\nitems:\n"
        "  - {id: system, text: Be brief., required: true}\n"
        "  - {search: open drawer, id: code, share: 0.5, sources: ['*.py'], priority: 4}\n"
        "  - {search: nothing_of_it, sources: ['none/*']}\n"
    )
    loaded = load_spec(spec)
    gathered = gather(loaded, tmp_path, Tokenizer.load("o200k_base"))
    assert gathered.unanswered == ["nothing_of_it"]
    prompt = assemble(gathered.items, 300)
    assert prompt.text.startswith("Be brief.\n\n## drawer.py\n@@ 1-")
    assert "def open_drawer(key):" in prompt.text
    assert "onions" not in prompt.text.lower()
    assert [section.name for section in prompt.report.sections][:1] == ["code"]
    for wrong, told in (("index: ../x", "outside of"), ("index: none", "search"), ("limit: 3", "unknown field")):
        spec.write_text(f"budget: 300\nitems:\n  - {{search: open drawer, {wrong}}}\n")
        with pytest.raises(SpecError, match=told):
            gather(load_spec(spec), tmp_path, Tokenizer.load("o200k_base"))
