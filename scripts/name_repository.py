"""Name the repository in what a release says of itself: absolute links in README.md, and the addresses in pyproject.toml.

The repository does not know where it is published, so links in README.md are relative, which an index of packages
cannot follow. The workflow of a release knows: python scripts/name_repository.py https://github.com/OWNER/NAME v1.0.0

Changes the two files in place; a second run changes nothing.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
# The address of a link or a picture. What has a scheme or begins with "#" stays.
LINK = re.compile(r"(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\]\([^)]*\))*\]\()(?P<address>[^)\s#][^)\s]*)(?=\))")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def absolute(text: str, repository: str, revision: str) -> str:
    """Markdown in which relative links lead to files of a repository at a revision.

    Args:
        text: Markdown with links relative to the repository's root.
        repository: Its address, such as https://github.com/OWNER/NAME.
        revision: A tag, a branch or a commit.

    Returns:
        The text with absolute links; pictures lead to the file itself, not to a page that shows it.
    """

    def replaced(match: re.Match[str]) -> str:
        before, address = match["before"], match["address"]
        # A picture may stand in the text of a link.
        inner = before if before.startswith("!") else LINK.sub(replaced, before[1:]).join(("[", ""))
        if SCHEME.match(address):
            return inner + address
        return f"{inner}{repository}/{'raw' if before.startswith('!') else 'blob'}/{revision}/{address}"

    return LINK.sub(replaced, text)


def with_addresses(settings: str, repository: str, revision: str) -> str:
    """pyproject.toml with a table of the project's addresses, if it has none.

    Args:
        settings: Contents of pyproject.toml.
        repository: The address of the repository.
        revision: A tag, a branch or a commit.

    Returns:
        The contents with [project.urls].
    """
    if "[project.urls]" in settings:
        return settings
    pages = {
        "Source": "",
        "Documentation": f"/tree/{revision}/docs",
        "Changelog": f"/blob/{revision}/CHANGELOG.md",
        "Issues": "/issues",
    }
    lines = "".join(f'{name} = "{repository}{path}"\n' for name, path in pages.items())
    return settings.replace(
        "[project.optional-dependencies]\n", f"[project.urls]\n{lines}\n[project.optional-dependencies]\n", 1
    )


def main(repository: str, revision: str) -> None:
    """Change README.md and pyproject.toml in place."""
    repository = repository.removesuffix("/")
    readme, settings = REPOSITORY / "README.md", REPOSITORY / "pyproject.toml"
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), repository, revision), encoding="utf-8")
    settings.write_text(with_addresses(settings.read_text(encoding="utf-8"), repository, revision), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
