"""What the chunkers do once for each line or block of a text, compiled."""



def enclosing_ends(offsets: list[int], strengths: list[int], end: int) -> list[int]:
    """
    For each boundary the offset of the next stronger one, `end` where there is none. Linear.
    """
