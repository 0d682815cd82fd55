"""Record: the base class of the parts of a specification, which hold data and do nothing.

`dataclasses` compiles six methods for each class: for some thirty classes that took longer than reading a small vocabulary, for the largest alone
a fifth as long. Its functions take records all the same: `dataclasses.replace(specification, name="mine")`.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, make_dataclass
from typing import Any, ClassVar, dataclass_transform


class _AsOfDataclass:
    """An attribute of dataclasses by which `dataclasses` knows the fields of a class. It is made when it is asked for, without types and defaults."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, _record: object, cls: type[Record]) -> Any:  # noqa: ANN401 - private to `dataclasses`
        return getattr(make_dataclass(cls.__name__, cls.__match_args__, init=False, repr=False, eq=False), self._name)


@dataclass_transform(frozen_default=True)
class Record:
    """An immutable object whose fields are the annotated names of its class, as those of a frozen dataclass."""

    __dataclass_fields__: ClassVar[Any] = _AsOfDataclass()
    __dataclass_params__: ClassVar[Any] = _AsOfDataclass()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    _unshown: ClassVar[frozenset[str]] = frozenset()
    """The fields that its `repr` leaves out."""
    _kw_only: ClassVar[bool] = False

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        cls._kw_only = kw_only
        cls.__match_args__ = (*cls.__match_args__, *cls.__annotations__)  # type: ignore[misc]  # mypy knows it in matches alone

    def __init__(self, *values: Any, **named: Any) -> None:  # noqa: ANN401 - of the types of the fields
        fields = self.__match_args__
        given = dict(zip(fields, values, strict=False)) | named
        wrong = given.keys() - set(fields) or [
            field for field in fields if field not in given and not hasattr(type(self), field)
        ]
        if wrong or len(given) != len(values) + len(named) or (values and self._kw_only):
            raise TypeError(f"{type(self).__name__} has the fields {fields}, not {len(values)} values and {[*named]}")
        self.__dict__.update(given)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Raise an error if the fields do not go together."""

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field) for field in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        return (
            self._values() == other._values()
            if isinstance(other, Record) and type(other) is type(self)
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        shown = zip(self.__match_args__, self._values(), strict=True)
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in shown if name not in self._unshown)})"

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")
