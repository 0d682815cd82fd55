"""The sandbox that chat templates run in, with the functions, filters and blocks that `transformers` gives them.

    {{ raise_exception("...") }}   {{ strftime_now("%d %b %Y") }}   {{ value | tojson(indent=4) }}
    {% generation %}...{% endgeneration %}   {% break %}   {% continue %}

Rendered text is equal to that of `transformers`; beyond it, loops, macros and lengths are bounded (limits.py). With
`marks`, loops over messages and generation blocks write invisible marks around what they write, which marks.py reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

import jinja2
import jinja2.ext
from jinja2 import nodes
from jinja2.compiler import CodeGenerator
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from chunker.prompt.templates import limits, measuring, recording

_DICT_NAMES = frozenset(dir(dict))
# Filters that write a value, or compare the parts of one.
_MEASURED_FILTERS = (
    "string",
    "pprint",
    "sort",
    "unique",
    "groupby",
    "min",
    "max",
    "dictsort",
    "urlize",
    "xmlattr",
    "list",
    "first",
    "last",
)
_MEASURED_TESTS = (
    "==",
    "eq",
    "equalto",
    "!=",
    "ne",
    "<",
    "lt",
    "lessthan",
    "<=",
    "le",
    ">",
    "gt",
    "greaterthan",
    ">=",
    "ge",
    "in",
)
_LONG_CHAIN = 8  # additions in one expression
_GUARDED_FILTERS = ("batch", "center", "indent", "replace", "slice", "wordwrap")


class GenerationBlocks(jinja2.ext.Extension):
    """Jinja extension for `{% generation %}` ... `{% endgeneration %}` around text that a model is trained to write. It changes no text."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Any) -> nodes.Node:  # noqa: ANN401 - as Jinja declares it
        """Make a block of it whose text passes through `_generated`."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_generated"), [], [], body).set_lineno(line)

    def _generated(self, caller: Callable[[], str]) -> str:
        return recording.generated(caller())


class _Bounds(NodeTransformer):
    """Count the steps of loops and macros, check the lengths of what is assigned; with `marks`, mark what loops write."""

    def __init__(self, *, marks: bool) -> None:
        self._marks = marks
        self._loops = 0

    def visit_For(self, node: nodes.For) -> Any:  # noqa: ANN401, N802 - Jinja names visitors after its nodes
        """A loop: a step at the start of its body."""
        self._loops += 1
        number = self._loops
        self.generic_visit(node)
        line = node.lineno
        if self._marks:
            names = [name.name for name in node.target.find_all(nodes.Name)]
            names += [node.target.name] if isinstance(node.target, nodes.Name) else []
            here = [
                _call("_mark", [nodes.Const(number), nodes.Name(name, "load")], line) for name in dict.fromkeys(names)
            ]
            node.body[:0] = [nodes.Output(here).set_lineno(line)] if here else []
        node.body.insert(0, nodes.ExprStmt(_call("_tick", [], line)).set_lineno(line))
        if not self._marks:
            return node
        end = nodes.Output([_call("_mark_end", [nodes.Const(number)], line)]).set_lineno(line)
        return [node, end]

    def visit_Output(self, node: nodes.Output) -> Any:  # noqa: ANN401, N802
        """A value that is written."""
        self.generic_visit(node)
        node.nodes = [_measured(one) for one in node.nodes]
        return node

    def visit_Concat(self, node: nodes.Concat) -> Any:  # noqa: ANN401, N802
        """`a ~ b`."""
        self.generic_visit(node)
        return _call("_joined", list(node.nodes), node.lineno)

    def visit_Add(self, node: nodes.Add) -> Any:  # noqa: ANN401, N802
        """`a + b`, measured once in a long chain."""
        self.generic_visit(node)
        length, one = 1, node.left
        while isinstance(one, nodes.Add):
            length, one = length + 1, one.left
        return node if length < _LONG_CHAIN else _call("_sized", [node], node.lineno)

    def visit_Compare(self, node: nodes.Compare) -> Any:  # noqa: ANN401, N802
        """`a == b` and the like: the values are measured unless one is a literal."""
        self.generic_visit(node)
        if not isinstance(node.expr, nodes.Const) and not all(isinstance(one.expr, nodes.Const) for one in node.ops):
            node.expr = _measured(node.expr)
            for one in node.ops:
                one.expr = _measured(one.expr)
        return node

    def visit_Pair(self, node: nodes.Pair) -> Any:  # noqa: ANN401, N802
        """A key and its value: the key is measured, because it is hashed."""
        self.generic_visit(node)
        node.key = _measured(node.key)
        return node

    def visit_Macro(self, node: nodes.Macro) -> Any:  # noqa: ANN401, N802
        """A macro, or the body of a `call`."""
        self.generic_visit(node)
        node.body.insert(0, nodes.ExprStmt(_call("_enter", [], node.lineno)).set_lineno(node.lineno))
        return node

    def visit_Assign(self, node: nodes.Assign) -> Any:  # noqa: ANN401, N802
        """`{% set x = ... %}`."""
        self.generic_visit(node)
        if not isinstance(node.node, nodes.Const):
            node.node = _call("_sized", [node.node], node.lineno)
        return node

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> Any:  # noqa: ANN401, N802
        """`{% set x %}...{% endset %}`."""
        self.generic_visit(node)
        node.filter = nodes.Filter(node.filter, "_sized", [], [], None, None)
        node.filter.set_lineno(node.lineno)
        return node


def _measured(node: nodes.Expr) -> nodes.Expr:
    """Wrap an expression so that its value is measured, unless it cannot be large."""
    is_ours = isinstance(node, nodes.Call) and isinstance(node.node, nodes.EnvironmentAttribute)
    if is_ours or isinstance(node, nodes.Const | nodes.TemplateData | nodes.Compare | nodes.Not):
        return node
    return _call("_measured", [node], node.lineno)


def _call(name: str, arguments: list[Any], line: int) -> nodes.Call:
    # A name that no template can write.
    function = nodes.EnvironmentAttribute(f"chunker{name}")
    call = nodes.Call(function, arguments, [], None, None)
    for part in (call, function, *arguments):
        part.set_lineno(line)
    return call


class _Code(CodeGenerator):
    """Jinja's code generator, with our own functions called directly."""

    def buffer(self, frame: Any) -> None:  # noqa: ANN401 - as Jinja declares it
        """Begin the text of a macro or block, bounded while it is written."""
        frame.buffer = self.temporary_identifier()
        self.writeline(f"{frame.buffer} = environment.chunker_buffer()")

    def visit_Call(self, node: nodes.Call, frame: Any, forward_caller: bool = False) -> None:  # noqa: ANN401, FBT001, FBT002, N802
        """A call: through the sandbox, unless it is ours."""
        if not isinstance(node.node, nodes.EnvironmentAttribute):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


class TemplateEnvironment(ImmutableSandboxedEnvironment):
    """Jinja as `transformers` sets it up, and bounded."""

    code_generator_class = _Code
    intercepted_binops = frozenset({"*", "**", "%"})

    concat = staticmethod(limits.written)
    chunker_buffer = limits.Buffer
    chunker_tick = staticmethod(limits.tick)
    chunker_enter = staticmethod(limits.enter)
    chunker_sized = staticmethod(limits.sized)
    chunker_measured = staticmethod(measuring.measured)
    chunker_joined = staticmethod(measuring.joined)
    chunker_mark = staticmethod(recording.mark)
    chunker_mark_end = staticmethod(recording.mark_end)

    def __init__(self, *, marks: bool) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlocks, "jinja2.ext.loopcontrols"])
        self._marks = marks
        for name in _GUARDED_FILTERS:
            self.filters[name] = limits.guarded(name, self.filters[name])
        for name in _MEASURED_FILTERS:
            self.filters[name] = measuring.measuring(self.filters[name])
        tests: dict[str, Any] = self.tests
        for name in _MEASURED_TESTS:
            tests[name] = measuring.measuring(tests[name])
        self.filters["sum"] = _sum
        self.filters["tojson"] = measuring.tojson
        self.filters["join"] = _join
        self.filters["format"] = _format
        self.filters["_sized"] = limits.sized
        self.globals["lipsum"] = limits.guarded("lipsum", jinja2.utils.generate_lorem_ipsum)
        self.globals["raise_exception"] = _raise_exception
        self.globals["strftime_now"] = _strftime_now
        self.globals["dict"] = _Dicts()
        self.globals["namespace"] = _Namespace

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        _Bounds(marks=self._marks).visit(tree)
        return tree

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - as Jinja declares it
        """Look up an attribute as Jinja does, with a shortcut for items of a dict, which templates read most."""
        if type(obj) is dict and attribute not in _DICT_NAMES:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:  # noqa: ANN401 - as Jinja declares it
        """Look up an item as Jinja does; a tuple is measured first."""
        if type(argument) is str and type(obj) is dict:
            if argument in obj:
                return obj[argument]
        elif type(argument) is tuple:
            measuring.measured(argument)
        return super().getitem(obj, argument)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401 - as Jinja declares it
        """Check the operands, then compute the operation."""
        limits.operate(operator, left, right)
        if operator == "%" and isinstance(left, str):
            measuring.check_percent(left, right)
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401, N805, PYI063 - as Jinja declares it
        """Check a call, make it, and check the length of its result."""
        limits.check_call(__obj, args, kwargs)
        function = getattr(__obj, "__wrapped__", __obj)  # as the sandbox wraps `str.format`
        owner = getattr(function, "__self__", None)
        if isinstance(owner, dict | list | tuple):
            for value in args:  # which is hashed, or compared
                measuring.measured(value)
        elif isinstance(owner, str):
            _check_text(owner, function.__name__, args, kwargs)
            if function.__name__ == "join" and args:
                args = ([*limits.joined(map(measuring.measured, args[0]), owner)], *args[1:])
        return limits.sized(super().call(__context, __obj, *args, **kwargs))


def _check_text(text: str, name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Refuse the call of a method of a text whose result would be too long. Raises LimitExceededError."""
    if name == "format":
        measuring.check_format(text, (*arguments, *named.values()))
    elif name == "format_map" and arguments and isinstance(arguments[0], Mapping):
        measuring.check_format(text, arguments[0].values())
    elif name == "translate" and arguments:
        measuring.check_translated(text, arguments[0])


class _Dicts:
    """`dict(...)` and `dict.fromkeys(...)`, without the attributes of the class."""

    def __call__(self, *arguments: Any, **named: Any) -> dict[Any, Any]:  # noqa: ANN401
        for value in arguments:
            measuring.measured(value)
        return dict(*arguments, **named)

    def fromkeys(self, *arguments: Any) -> dict[Any, Any]:  # noqa: ANN401
        """`dict.fromkeys`."""
        for value in arguments:
            measuring.measured(value)
        return dict.fromkeys(*arguments)


class _Namespace(jinja2.utils.Namespace):
    """`namespace(...)`, which stores no names that begin with an underscore."""

    def __init__(*arguments: Any, **named: Any) -> None:  # so that a namespace may have a `self`  # noqa: ANN401
        self, *given = arguments
        values = dict(*given, **named)
        for name in values:
            _check_name(name)
        jinja2.utils.Namespace.__init__(self, values)

    def __setitem__(self, name: str, value: Any) -> None:  # noqa: ANN401
        _check_name(name)
        super().__setitem__(name, limits.sized(value))


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a namespace stores no name that begins with an underscore: {name!r}")


@jinja2.pass_eval_context
def _join(context: nodes.EvalContext, value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    """Jinja's filter, bounded."""
    if attribute is not None:
        value = map(jinja2.filters.make_attrgetter(context.environment, attribute), value)
    parts = limits.joined(map(measuring.measured, value), str(measuring.measured(d)))
    return str(jinja2.filters.do_join(context, parts, d))


def _format(value: Any, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - as Jinja declares it
    """Jinja's filter, bounded."""
    limits.operate("%", str(value), args)
    measuring.check_percent(str(value), kwargs or args)
    return str(jinja2.filters.do_format(value, *args, **kwargs))


@jinja2.pass_environment
def _sum(
    environment: jinja2.Environment,
    iterable: Iterable[Any],
    attribute: str | int | None = None,
    start: Any = 0,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Jinja's filter, bounded."""
    measuring.check_summed(iterable, start)
    return jinja2.filters.sync_do_sum(environment, iterable, attribute, start)


def _raise_exception(message: object) -> None:
    raise jinja2.exceptions.TemplateError(None if message is None else str(message))


def _strftime_now(form: str) -> str:
    limits.check_form("strftime_now", form)
    return datetime.now().strftime(form)  # noqa: DTZ005 - the time of this place, as templates expect it


@lru_cache(maxsize=2)
def environment(*, marks: bool) -> TemplateEnvironment:
    """The environment of all templates; threads may share it."""
    return TemplateEnvironment(marks=marks)


@lru_cache(maxsize=64)
def compiled(source: str, *, marks: bool = False) -> jinja2.Template:
    """Return the compiled template. Raises the errors of Jinja."""
    return environment(marks=marks).from_string(source)
