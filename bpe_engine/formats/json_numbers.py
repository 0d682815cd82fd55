"""Numbers of JSON as Hugging Face `tokenizers` rounds them, whose parser is serde_json without its feature "float_roundtrip".

    -10.454418960663874        10454418960663874 / 1e15, rounded to a double once more: one unit in the last place above

The sums of Unigram are compared to the last bit where two ways to split a text are equally good. Source:
https://docs.rs/serde_json, `Deserializer` (parse_integer, parse_decimal, f64_from_parts).
"""

from __future__ import annotations

_LARGEST_SIGNIFICAND = 2**64 - 1
_LARGEST_POWER = 308
_POWERS = [float(f"1e{exponent}") for exponent in range(_LARGEST_POWER + 1)]


def rounded(text: str) -> float:
    """Return the number that `tokenizers` reads; infinity if it refuses the number as too large.

    Args:
        text: A number in JSON.

    >>> rounded("-0.25"), rounded("1e3"), rounded("1e999")
    (-0.25, 1000.0, inf)
    """
    mantissa, _, power = text.lower().partition("e")
    whole, _, fraction = mantissa.removeprefix("-").partition(".")
    significand, dropped = _significand(0, whole)
    exponent = dropped
    significand, dropped = _significand(significand, fraction)
    exponent -= len(fraction) - dropped
    value = _scaled(float(significand), exponent + int(power or 0))
    return -value if text.startswith("-") else value


def _significand(before: int, digits: str) -> tuple[int, int]:
    """Append digits to a significand as long as it fits 64 bits; returns how many are dropped, too."""
    for index, digit in enumerate(digits):
        longer = before * 10 + int(digit)
        if longer > _LARGEST_SIGNIFICAND:
            return before, len(digits) - index
        before = longer
    return before, 0


def _scaled(value: float, exponent: int) -> float:
    while value and exponent < -_LARGEST_POWER:
        value /= _POWERS[_LARGEST_POWER]
        exponent += _LARGEST_POWER
    if not value:
        return value
    if exponent > _LARGEST_POWER:
        return float("inf")
    return value * _POWERS[exponent] if exponent >= 0 else value / _POWERS[-exponent]
