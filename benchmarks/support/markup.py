"""Plain text from the formats of documentation: manual pages (roff), HTML and Mallard pages, and compiled message catalogues.

Meant for text to measure with, not for display: tables and equations are not laid out.
"""

from __future__ import annotations

import gettext
import html
import io
import re
import unicodedata

# Macros whose arguments are words of the page; what follows any other macro is for the formatter.
_ROFF_TWO_FONTS = frozenset({"BI", "BR", "IB", "IR", "RB", "RI"})
_ROFF_HEADINGS = frozenset({"SH", "SS", "Sh", "Ss"})
_ROFF_WORDS = _ROFF_TWO_FONTS | _ROFF_HEADINGS | {"B", "I", "SB", "SM", "Ar", "Em", "Fl", "Nm"}
_ROFF_FILL = frozenset({"fi", "EE"})
_ROFF_NO_FILL = frozenset({"nf", "EX"})
_ROFF_BREAKS = (
    _ROFF_HEADINGS
    | _ROFF_FILL
    | _ROFF_NO_FILL
    | {"PP", "P", "LP", "TP", "IP", "HP", "RS", "RE", "sp", "br", "Pp", "It"}
)
_ROFF_FONT = re.compile(r"\\f(?:\[[^\]]*\]|\([\s\S]{2}|.)|\\s[-+]?\d{1,2}|\\[&%|^/,:)0c~]|\\\*(?:\(..|\[[^\]]*\]|.)")
_ROFF_CHARACTERS = {
    "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "aq": "'", "dq": '"', "em": "—", "en": "–", "hy": "-", "bu": "•",
    "co": "©", "rs": "\\", "ti": "~", "ha": "^", "ga": "`", "la": "<", "ra": ">", "Fo": "«", "Fc": "»", "->": "→",
}  # fmt: skip
_ROFF_NAMED = re.compile(r"\\(?:\((..)|\[([^\]]+)\])")
# Outside of these, an HTML or Mallard page is what it says.
_SILENT = re.compile(r"<(script|style|head|noscript|header|aside|info)\b.*?</\1\s*>|<!--.*?-->|<\?.*?\?>", re.DOTALL)
_BLOCK_END = re.compile(r"</?(?:p|div|h[1-6]|li|tr|td|th|pre|title|item|br|section|code|screen)\b[^>]*>")


def from_roff(source: str) -> str:
    r"""The words of a manual page, one paragraph a line; lines that the page does not fill stay lines.

    >>> from_roff('.\\" a comment\n.TH LS 1\n.SH NAME\nls \\- list\n.TP\n.BR \\-a ", " \\-\\-all\nno \\fB.\\fP\nhidden\n')
    'NAME\nls - list\n-a, --all no . hidden\n'
    """
    paragraphs: list[str] = []
    words = ""
    in_table_format = False
    filling = True
    for line in source.splitlines():
        if in_table_format or line.startswith((".TS", "T{", "T}")):
            # The format of a table ends with a full stop; T{ and T} enclose a cell of several lines.
            in_table_format = not line.endswith(".") and (in_table_format or line.startswith(".TS"))
            continue
        macro, found = _words_of(line)
        if macro in _ROFF_BREAKS or not line or not filling:
            paragraphs.append(words)
            words = ""
        filling = macro in _ROFF_FILL if macro in _ROFF_FILL | _ROFF_NO_FILL else filling
        words = _joined(words, found)
        if macro in _ROFF_HEADINGS:
            paragraphs.append(words)
            words = ""
    return "".join(f"{paragraph}\n" for paragraph in [*paragraphs, words] if paragraph.strip())


def _words_of(line: str) -> tuple[str, str]:
    r"""The macro of a line, "" if there is none, and its words.

    >>> _words_of(".BR ls (1)"), _words_of(".PP"), _words_of("a \\fBbold\\fR word")
    (('BR', 'ls(1)'), ('PP', ''), ('', 'a bold word'))
    """
    if not line.startswith((".", "'")):
        return "", _without_escapes(line.partition('\\"')[0])
    macro, _, arguments = line[1:].lstrip().partition(" ")
    if macro not in _ROFF_WORDS:
        return macro, ""
    parts = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', arguments.partition('\\"')[0])]
    # Macros of two fonts write their arguments one against the other.
    return macro, _without_escapes(("" if macro in _ROFF_TWO_FONTS else " ").join(parts))


def _joined(first: str, second: str) -> str:
    """Two lines as one: parted by a space, unless the writing has none there.

    >>> _joined("to be", "or not"), _joined("我们", "是")
    ('to be or not', '我们是')
    """
    if not first or not second:
        return first + second
    return first + ("" if first[-1] >= "\u2e80" and second[0] >= "\u2e80" else " ") + second


def _without_escapes(line: str) -> str:
    r"""A line without the escapes for fonts, spacing and named characters: removed, or replaced by the character.

    >>> _without_escapes(r"\fB\-\-all\fR \(lqall\(rq \e")
    '--all “all” \\'
    """
    line = _ROFF_FONT.sub("", line)
    line = _ROFF_NAMED.sub(lambda found: _ROFF_CHARACTERS.get(found[1] or found[2], ""), line)
    return line.replace("\\-", "-").replace("\\e", "\x00").replace("\\", "").replace("\x00", "\\")


def from_html(source: str) -> str:
    """The words of an HTML or Mallard page, one paragraph a line.

    >>> from_html("<head><title>no</title></head><p>Tom &amp; <b>Jerry</b>,\\n  again</p><p>Next</p>")
    'Tom & Jerry, again\\nNext\\n'
    """
    text = " ".join(_SILENT.sub("", source).split())
    text = re.sub(r"<[^>]*>", "", _BLOCK_END.sub("\n", text))
    paragraphs = (html.unescape(line).strip() for line in text.split("\n"))
    return "".join(f"{paragraph}\n" for paragraph in paragraphs if paragraph)


def from_catalogue(data: bytes) -> str:
    """The translations of a compiled catalogue (`.mo`), one a line, in the order of the originals."""
    catalogue = gettext.GNUTranslations(io.BytesIO(data))
    # The entry of the empty original is the header; there is no public way to list a catalogue.
    entries = vars(catalogue)["_catalog"].items()
    return "".join(f"{_without_mnemonic(translation)}\n" for original, translation in entries if original)


def _without_mnemonic(message: str) -> str:
    """A label without the mark of its key.

    >>> _without_mnemonic("_Open"), _without_mnemonic("~Save as")
    ('Open', 'Save as')
    """
    return message.replace("_", "").replace("~", "")


def lines_in_script(text: str, script: str) -> str:
    """The different lines of `text` of whose letters at least half are of a script, named as Unicode names its characters.

    >>> lines_in_script("नमस्ते\\nhello\\nनमस्ते\\n", "DEVANAGARI")
    'नमस्ते\\n'
    """
    kept = dict.fromkeys(line for line in text.splitlines() if _is_in_script(line, script))
    return "".join(f"{line}\n" for line in kept)


def _is_in_script(line: str, script: str) -> bool:
    letters = [character for character in line if unicodedata.category(character)[0] in "LM"]
    return bool(letters) and 2 * sum(script in unicodedata.name(letter, "") for letter in letters) >= len(letters)
