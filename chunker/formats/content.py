"""Find the language of a text from its content, for files whose name does not determine it.

    #!/usr/bin/env python3.11        an interpreter: Python
    <?xml version="1.0"?>            a mark that only one kind of file begins with: XML
    namespace shapes { class Box;    what a C header does not hold: a header of C++

Only the beginning of a text is searched, so that large texts cost no more.
"""

from __future__ import annotations

import re

LOOKED_AT = 1 << 16  # characters

# "#!/usr/bin/env -S python3.11 -u" and "#!/bin/sh" alike; a version at the end of the name does not count.
_INTERPRETER = re.compile(r"\ufeff?#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*(?:\S*/)?)?([A-Za-z]+)")

_TAG = re.compile(r"\ufeff?\s{0,99}<")
# What may follow.
_FIRST_MARKS = (
    (re.compile(r"!doctype\s+html\b|html\b", re.IGNORECASE), "HTML"),
    (re.compile(r"\?xml\b"), "XML"),
    (re.compile(r"\?php\b"), "PHP"),
)

_OBJECTIVE_C = re.compile(
    r"^[ \t]{0,99}(?:@(?:interface|implementation|protocol|class|end)\b|#[ \t]{0,9}import\b)", re.MULTILINE
)
_CPP = re.compile(
    r"^[ \t]{0,99}(?:class\s+\w|namespace\s+\w|namespace\s*\{|template\s*<|using\s+\w|(?:public|private|protected)\s*:"
    r"|virtual\s|enum\s+(?:class|struct)\s|constexpr\s|friend\s"
    # The headers of its standard library have no suffix.
    r"|#[ \t]{0,9}include[ \t]{0,9}<[a-z_]+>)",
    re.MULTILINE,
)
# Headers for both languages are mostly C, with a part for C++ after this line.
_FOR_BOTH = re.compile(
    r"^[ \t]{0,99}#[ \t]{0,9}if(?:def|[ \t]+defined)[ \t(]{1,9}__cplusplus\b.*?^[ \t]{0,99}#[ \t]{0,9}endif",
    re.MULTILINE | re.DOTALL,
)


def interpreter_of(text: str) -> str | None:
    """Return the interpreter that the first line names, without its version; None if it names none.

    >>> interpreter_of("#!/usr/bin/env python3"), interpreter_of("# python")
    ('python', None)
    """
    found = _INTERPRETER.match(text[:LOOKED_AT])
    return found[1] if found else None


def language_of_content(text: str) -> str | None:
    """Return the language if the text begins with a mark of only one language; else None.

    >>> language_of_content("<!DOCTYPE html><title>x</title>"), language_of_content("hello")
    ('HTML', None)
    """
    tag = _TAG.match(text)
    if tag is None:
        return None
    return next((language for mark, language in _FIRST_MARKS if mark.match(text, tag.end(), LOOKED_AT)), None)


def language_of_header(text: str) -> str:
    """Return the language of a header file, `.h`: C unless the header contains code that is not C.

    >>> language_of_header("#include <vector>"), language_of_header("int f(void);"), language_of_header("@interface A")
    ('C++', 'C', 'Objective-C')
    """
    beginning = _FOR_BOTH.sub("", text[:LOOKED_AT])
    if _OBJECTIVE_C.search(beginning):
        return "Objective-C"
    return "C++" if _CPP.search(beginning) else "C"
