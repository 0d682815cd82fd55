"""Maps of repositories: the signatures that matter most, within an exact budget of tokens.

    src/stack.py                        files in the order of their names
    class Stack:                        what is defined in them, as it is written
        def push(self, item):
        ...                             something was left out here

What matters is what is used: files point to the files that define the names they use, and rank follows the pointers.
`focus` begins at some files or names.
"""

from __future__ import annotations

from chunker.mapping.mapped_files import MappedFile
from chunker.mapping.maps import RepositoryMap, map_repository
from chunker.mapping.repositories import Repository
from chunker.mapping.skeletons import skeleton

__all__ = ["MappedFile", "Repository", "RepositoryMap", "map_repository", "skeleton"]
