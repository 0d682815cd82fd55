"""One line for a request with a wrong field: its name, and the values that it takes.

{"max_token": 5}                    max_token: unknown field; did you mean max_tokens?
{"max_tokens": "many"}              max_tokens: Input should be a valid integer
{"metadata": {"team": {}}}          metadata.team: Input should be a valid string or a valid integer or ...
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

_SHOULD = "Input should be "


def fault(error: ValidationError, model: type[BaseModel], given: object) -> str:
    """Describe the first fault that pydantic found in a request, without the input, which may be long, and without
    links.

    Args:
        error: The exception of pydantic.
        model: The model of the request.
        given: The request, as parsed from JSON; None if it cannot be parsed.
    """
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    place = _place(errors[0]["loc"], given)
    named = ".".join(map(str, place))
    if errors[0]["type"] == "extra_forbidden":
        return f"{named}: unknown field; {_advice(str(place[-1]), _model_at(model, place[:-1]))}"
    if errors[0]["type"] == "missing":
        return f"{'.'.join(map(str, errors[0]['loc']))}: this field is missing"
    # A field that may have several types has a fault for each of them.
    here = [one["msg"] for one in errors if _place(one["loc"], given) == place]
    wanted = dict.fromkeys(message.removeprefix(_SHOULD) for message in here)
    if len(here) > 1 and all(message.startswith(_SHOULD) for message in here):
        message = _SHOULD + " or ".join(wanted)
    else:
        message = here[0].removeprefix("Value error, ")
    return f"{named}: {message}" if named else message


def _place(location: Sequence[str | int], given: Any) -> tuple[str | int, ...]:  # noqa: ANN401  # whatever JSON can say
    """Return the part of a location that is in the request: for a union, pydantic appends the name of a type."""
    if given is None:
        return tuple(location)
    place: list[str | int] = []
    for step in location:
        names = given if isinstance(given, dict) else range(len(given)) if isinstance(given, list) else ()
        if step not in names:
            break
        given = given[step]
        place.append(step)
    return tuple(place)


def _model_at(model: type[BaseModel], place: Sequence[str | int]) -> type[BaseModel]:
    """Return the model of the object at a location; for a field with a list, the model of its items."""
    for step in place:
        if isinstance(step, str):
            annotation: Any = model.model_fields[step].annotation
            model = next(
                kind
                for kind in (annotation, *get_args(annotation))
                if isinstance(kind, type) and issubclass(kind, BaseModel)
            )
    return model


def _advice(name: str, model: type[BaseModel]) -> str:
    near = difflib.get_close_matches(name, model.model_fields, n=1, cutoff=0.75)
    return f"did you mean {near[0]}?" if near else f"the fields are {', '.join(model.model_fields) or 'none'}"
