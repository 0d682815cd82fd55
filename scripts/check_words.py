"""Check the words of the public interface. `make lint` runs it; codespell checks the spelling.

undocumented    parameters of public callables that no docstring section names, and entries that name no parameter
unreturned      public functions and methods that return something and have no section Returns or Yields
undescribed     public constants without a docstring below them, which the reference pages show
same_names      two classes of one name in a package, two modules of one name in neighbouring folders: one in the other, or side by side
unlisted        names that the documentation imports and the module does not list in `__all__`
other_words     words for which the glossary has a better one: in public text, and in the comments and docstrings of all code

BPE_ENGINE_IMPLEMENTATION=python PYTHONPATH=. python scripts/check_words.py
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from bpe_engine.pipeline.records import Record
from chunker.errors import MissingExtraError

ROOT = Path(__file__).resolve().parent.parent

# The packages whose `__all__` is the public interface.
PUBLIC = (
    "bpe_engine",
    "bpe_engine.core",
    "bpe_engine.gpt1",
    "bpe_engine.load",
    "bpe_engine.minbpe",
    "bpe_engine.model",
    "bpe_engine.patterns",
    "bpe_engine.pipeline.specification",
    "bpe_engine.registry",
    "bpe_engine.training",
    "chunker",
    "chunker.counting",
    "chunker.edits",
    "chunker.errors",
    "chunker.evaluation",
    "chunker.files.readers",
    "chunker.files.readers.table",
    "chunker.formats",
    "chunker.formats.code.grammar",
    "chunker.formats.data.notebook",
    "chunker.index",
    "chunker.late",
    "chunker.mapping",
    "chunker.prompt",
    "chunker.prompt.conversation",
    "chunker.prompt.planning",
    "chunker.scale",
    "chunker.symbols",
    "chunker.view",
)

# Plug-ins, which are checked where the system that they plug into is installed. Those that are commands have no
# `__all__`.
PLUGINS = tuple(
    f"chunker.integrations.{name}"
    for name in (
        "chonkie",
        "duckdb",
        "haystack",
        "langchain",
        "llamaindex",
        "polars",
        "ray_data",
        "spark",
        "stores.chroma",
        "stores.elasticsearch",
        "stores.lancedb",
        "stores.milvus",
        "stores.pgvector",
        "stores.qdrant",
        "stores.weaviate",
    )
)

OURS = ("bpe_engine", "chunker")

# Class names that two modules of a package may share, and why.
SHARED_CLASSES = {
    "AppendingEncoder": "the protocol, and its implementation in Python",
    "IntervalEncoder": "the protocol, and its implementation in Python",
    "Layout": "of the parts of a prompt, and of the ids of a conversation",
    "Line": "of a page, and of reStructuredText",
    "PrependingEncoder": "the protocol, and its implementation in Python",
    "TokenTable": "the readable algorithms are a package of their own",
}
# Module names that neighbouring folders may share, and why.
SHARED_MODULES = {
    "charsmaps": "the tables, and the normalizers that look things up in them",
    "command": "the command of each plug-in",
    "engine": "the protocol, and its implementation in Python",
    "errors": "the exceptions of each package",
    "layout": "of the parts of a prompt, and of the ids of a conversation",
    "reading": "of the symbols of a text, and of a text in windows around edits",
    "options": "of the chunkers, and of the command, which has the same",
    "registry": "tiktoken has a module of this name in this place",
    "server": "the server of each plug-in",
    "splitter": "the splitter for each framework",
    "vocabulary": "the class, and the training that makes one",
}

# Words on the left side have a better one in the glossary: a pattern, and what to write.
EVERYWHERE = (
    (r"crumbs?", "undersized chunk"),
    (r"firm(ly)?", "settled, or safe split"),
    (r"inks?", "trailing white space"),
    (r"placing", "line placement"),
    (r"spots?", "offset"),
    (r"stretch(es)?", "span"),
    (r"trails?", "breadcrumb"),
)
# In the documentation and in docstrings of public callables.
IN_PUBLIC = (*EVERYWHERE, (r"looked into", "refined"))
# In comments and docstrings of the code. An expression looks behind and a file lags behind; text[first:behind] is a
# name.
IN_CODE = (*EVERYWHERE, (r"(?<!look )(?<!looks )(?<!look-)(?<!lag )(?<!lags )(?<![.:`\[])behind(?![:`\]])", "after"))
CODE = ("bpe_engine", "chunker", "integrations", "benchmarks", "examples", "scripts", "tests")
SUFFIXES = {".py", ".pyi", ".cpp", ".hpp"}

_SECTION = re.compile(r"(Args|Attributes):\n((?:(?: {4}.*)?\n)*)")
_ENTRY = re.compile(r"^ {4}\*{0,2}(\w+): ", re.MULTILINE)
_SEE = re.compile(r"See `(\w+)\.(\w+)`")
_RESULT = re.compile(r"^(Returns|Yields):\n", re.MULTILINE)
# Of a callable that takes nothing, a first sentence that begins so says what comes back, and there is no more to say.
_SAYS_RESULT = re.compile(r"(Return|Tell|Yield|Whether) [^\n]")
_COLON = re.compile(r"^(Returns|Yields):\n {4}.*:", re.MULTILINE)
# A string or character of C++, or a comment.
_CPP = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
_IMPORT = re.compile(r"^[ >.]*from ((?:bpe_engine|chunker)[\w.]*) import (?:\(([^)]*)\)|([^\n#(]+))", re.MULTILINE)


# --- parameters


def undocumented(module: ModuleType) -> Iterator[str]:
    """A line for each parameter of a public callable that its docstring does not name, and for each entry too many."""
    for name, called, parameters in public_callables(module):
        text = "\n".join(filter(None, (_documentation(one, module) for one in called))) + "\n"
        sections = _SECTION.findall(text)
        named = {entry for _, section in sections for entry in _ENTRY.findall(section)}
        arguments = {entry for title, section in sections if title == "Args" for entry in _ENTRY.findall(section)}
        yield from (f"{name}: no Args entry for {parameter}" for parameter in parameters if parameter not in named)
        yield from (f"{name}: {entry} in Args is no parameter" for entry in sorted(arguments - set(parameters)))
        # Up to a colon it would be shown as a type.
        yield from (f"{name}: a colon in the first line of {title}" for title in _COLON.findall(text))


def unreturned(module: ModuleType) -> Iterator[str]:
    """A line for each public function or method that returns something, but whose docstring has no section Returns or Yields.

    Properties are no callables here: their first line says what they are. One without parameters may do without the section if its
    docstring is a single paragraph that begins with "Return", "Tell", "Yield" or "Whether".
    """
    for name, (found, *_), parameters in public_callables(module):
        if inspect.isclass(found) or not callable(found) or returns_nothing(found):
            continue
        text = _documentation(found, module) or ""
        said = not parameters and "\n\n" not in text and _SAYS_RESULT.match(text)
        if not said and not _RESULT.search(text):
            yield f"{name}: no section Returns or Yields"


def returns_nothing(function: Callable[..., Any]) -> bool:
    """Whether a function is declared to return None, or never to return."""
    declared = inspect.signature(function).return_annotation
    return declared in {None, "None", "NoReturn", "Never", inspect.Signature.empty}


def _documentation(found: object, module: ModuleType) -> str | None:
    """The docstring of an object; for one that begins with "See `Protocol.method`", that of the protocol."""
    text = inspect.getdoc(found)
    if text is not None and (reference := _SEE.match(text)) and hasattr(module, reference[1]):
        return inspect.getdoc(getattr(getattr(module, reference[1]), reference[2]))
    return text


def public_callables(module: ModuleType) -> Iterator[tuple[str, tuple[object, ...], list[str]]]:
    """Each public function, class and method: its name, the objects that have its docstrings, its parameters."""
    for name in module.__all__:
        found = getattr(module, name)
        label = f"{module.__name__}.{name}"
        if inspect.isclass(found) and not issubclass(found, enum.Enum):
            own = [base for base in found.__mro__ if base.__module__.startswith(OURS)]
            yield label, (*_until_init(own), *_documented_init(own)), class_parameters(found, own)
            yield from methods(label, own)
        elif inspect.isfunction(found) or hasattr(found, "__wrapped__"):
            yield label, (found,), _parameters(found)


def class_parameters(found: type[Any], own: list[type[Any]]) -> list[str]:
    """The parameters of a class: its fields, or those of an `__init__` of ours. A field of a pydantic model may have a description."""
    fields = getattr(found, "model_fields", None)
    if isinstance(fields, dict):
        return [name for name, field in fields.items() if not field.description]
    if dataclasses.is_dataclass(found):
        return [field.name for field in dataclasses.fields(found) if field.init]
    if issubclass(found, Record):
        return list(found.__match_args__)
    if issubclass(found, tuple):
        return list(getattr(found, "_fields", ()))
    return next((_parameters(init)[1:] for init in _own_init(own)), [])


def methods(label: str, own: list[type[Any]]) -> Iterator[tuple[str, tuple[object, ...], list[str]]]:
    """The public methods of a class and of its bases of ours, each once."""
    seen = set()
    for base in own:
        for name, member in vars(base).items():
            function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            wanted = not name.startswith("_") or name == "__call__"
            if wanted and name not in seen and inspect.isfunction(function):
                parameters = _parameters(function)
                yield f"{label}.{name}", (function,), parameters if isinstance(member, staticmethod) else parameters[1:]
            seen.add(name)


def _until_init(own: list[type[Any]]) -> Iterator[type[Any]]:
    """The classes that may say what a class takes: up to the one that has an `__init__`."""
    for base in own:
        yield base
        if "__init__" in vars(base):
            return


def _documented_init(own: list[type[Any]]) -> list[Callable[..., Any]]:
    # One without a docstring would show that of another package's class.
    return [init for init in _own_init(own) if init.__doc__]


def _own_init(own: list[type[Any]]) -> list[Callable[..., Any]]:
    found = next((vars(base)["__init__"] for base in own if "__init__" in vars(base)), None)
    # That of a protocol is of `typing`.
    return [found] if inspect.isfunction(found) and found.__module__.startswith(OURS) else []


def _parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if not name.startswith("_")]


# --- names


def same_names(package: Path) -> Iterator[str]:
    """A line for each name that two classes of a package have, or two modules of neighbouring folders."""
    classes: defaultdict[str, list[Path]] = defaultdict(list)
    modules: defaultdict[str, list[Path]] = defaultdict(list)
    for path in python_files(package):
        modules[path.stem].append(path)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(path)
    for name, paths in classes.items():
        if len(paths) > 1 and name not in SHARED_CLASSES:
            yield f"class {name} is in {' and in '.join(str(path.relative_to(package.parent)) for path in paths)}"
    for name, paths in modules.items():
        folders = [path.parent for path in paths]
        # A folder is a neighbour of those in it, and of those beside it.
        near = [
            (one, other)
            for one, other in combinations(folders, 2)
            if one == other.parent or one.parent in {other, other.parent}
        ]
        if near and name not in SHARED_MODULES and not name.startswith("__"):
            yield f"module {name} is in {' and in '.join(str(folder.relative_to(package.parent)) for folder in near[0])}"


def python_files(package: Path) -> list[Path]:
    """The modules of a package, without what is linked into it."""
    links = [path for path in package.iterdir() if path.is_symlink()]
    return [path for path in sorted(package.rglob("*.py")) if not any(path.is_relative_to(link) for link in links)]


def unlisted(page: Path, root: Path = ROOT) -> Iterator[str]:
    """A line for each name that a page imports and that its module does not list in `__all__`."""
    for module, several, one in _IMPORT.findall(page.read_text(encoding="utf-8")):
        listed = names_of(module, root)
        for name in re.findall(r"(\w+)(?: as \w+)?", re.sub(r"\s+", " ", several or one)):
            if name not in listed and not is_module(f"{module}.{name}", root):
                yield f"{page.relative_to(root)} imports {name}, which {module} does not list in __all__"


def names_of(module: str, root: Path) -> set[str]:
    """The names in `__all__` of a module, without importing it."""
    path = _path_of(module, root)
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(at, ast.Name) and at.id == "__all__" for at in node.targets):
            return set(ast.literal_eval(node.value))
    return set()


def is_module(module: str, root: Path) -> bool:
    """Whether there is a module of this name."""
    return _path_of(module, root).is_file()


def undescribed(module: str, root: Path = ROOT) -> Iterator[str]:
    """A line for each constant in `__all__` of a module, wherever it is assigned, that has no docstring below it."""
    for public in sorted(names_of(module, root)):
        place, name = _origin(module, public, root)
        path = _path_of(place, root)
        for node, below in pairwise([*ast.parse(path.read_text(encoding="utf-8")).body, ast.Pass()]):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            assigned = any(isinstance(target, ast.Name) and target.id == name for target in targets)
            described = isinstance(below, ast.Expr) and isinstance(getattr(below.value, "value", None), str)
            if assigned and not described:
                yield f"{place}.{name} has no docstring below it"


def _origin(module: str, name: str, root: Path) -> tuple[str, str]:
    """The module that a name comes from, through imports from our own packages, and its name there."""
    for node in ast.parse(_path_of(module, root).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None and is_module(node.module, root):
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return _origin(node.module, alias.name, root)
    return module, name


def _path_of(module: str, root: Path) -> Path:
    path = root.joinpath(*module.replace("chunker.integrations", "integrations").split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


# --- words


def other_words(place: str, text: str, words: Iterable[tuple[str, str]] = IN_PUBLIC) -> Iterator[str]:
    """A line for each word of a text that the glossary replaces by another."""
    for pattern, better in words:
        for match in re.finditer(rf"\b{pattern}\b", text, re.IGNORECASE):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{place}, line {line}: {match.group()!r}: the glossary has {better!r}"


def other_words_in_code(path: Path) -> Iterator[str]:
    """A line for each word of the comments and docstrings of a file that the glossary replaces by another."""
    text = path.read_text(encoding="utf-8")
    if any(re.search(rf"\b{pattern}\b", text, re.IGNORECASE) for pattern, _ in IN_CODE):
        prose = python_prose(text) if path.suffix in {".py", ".pyi"} else cpp_prose(text)
        lines = [""] * (text.count("\n") + 1)
        for number, part in prose:
            for offset, line in enumerate(part.split("\n"), number - 1):
                lines[offset] += f" {line}"
        yield from other_words(str(path), "\n".join(lines), IN_CODE)


def python_prose(text: str) -> Iterator[tuple[int, str]]:
    """The comments and docstrings of Python, each with the number of its first line."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            yield node.lineno, ast.get_source_segment(text, node) or ""


def cpp_prose(text: str) -> Iterator[tuple[int, str]]:
    """The comments of C++, each with the number of its first line."""
    for match in _CPP.finditer(text):
        if match[0].startswith("/"):
            yield text.count("\n", 0, match.start()) + 1, match[0]


def docstrings(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The docstrings of the public callables of a module."""
    for name, called, _ in public_callables(module):
        for one in called:
            yield name, inspect.getdoc(one) or ""


def main() -> int:
    """Check the packages and the documentation, and print what is wrong."""
    modules = [*map(import_module, PUBLIC), *installed(PLUGINS)]
    pages = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    found: list[str] = []
    for module in modules:
        found += undocumented(module)
        found += unreturned(module)
        found += undescribed(module.__name__)
        for place, text in docstrings(module):
            found += other_words(place, text)
    for name in ("bpe_engine", "chunker", "integrations"):
        found += same_names(ROOT / name)
    for path in sorted(path for name in CODE for path in (ROOT / name).rglob("*") if path.suffix in SUFFIXES):
        found += other_words_in_code(path)
    for page in pages:
        found += unlisted(page)
        found += other_words(str(page.relative_to(ROOT)), page.read_text(encoding="utf-8"))
    return tell(found)


def installed(names: Iterable[str]) -> Iterator[ModuleType]:
    """The modules whose requirements are installed; a line for each other one."""
    for name in names:
        try:
            yield import_module(name)
        except MissingExtraError as error:
            print(f"{name} is not checked: {error}")


def tell(found: Iterable[str]) -> int:
    """Print the faults, each once; 1 if there are some."""
    faults = list(dict.fromkeys(found))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
