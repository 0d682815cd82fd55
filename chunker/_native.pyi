"""What the chunkers do once for each line or block of a text, compiled."""



class RowGrower:
    """Grows chunks of whole rows of an outline."""

    def __init__(self, text: str | bytes, offsets: list[int], strengths: list[int], *, size: int, most: int, least: int, look_ahead: int, leap_fills: int, leap: float, stride: int, longest_token: int, finest: int) -> None:
        """
        `text` is a str, of ASCII if that is to cost nothing, or UTF-8, of `size` characters, as `offsets` are; the other limits are those of chunker.growing.
        """

    def grow(self, encoder: object, row: int, number: int, closed: bytearray, full: int) -> tuple[list[int], list[int], int]:
        """
        The chunks from a row on: the row behind each, its tokens; and what the next call takes for `full`.
        """

def enclosing_ends(offsets: list[int], strengths: list[int], end: int) -> list[int]:
    """
    For each boundary the offset of the next stronger one, `end` where there is none. Linear.
    """
