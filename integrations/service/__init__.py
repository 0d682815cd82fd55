"""Common part of the web page (`chunker.integrations.serve`) and the MCP server (`chunker.integrations.mcp`): the files
that a client may read, and the workers.

    roots.py         files that a client may ask for: those of the roots, and no others
    pool.py          worker processes, each with limits of time and memory
    worker.py        what runs in them
    operations.py    what they can do: see, count, chunk, search, assemble
    keys.py          JSON that names a key twice
    errors.py        what is raised on purpose

A client is whoever speaks to the server. Nothing that it sends becomes a path, a module or a name to load without being looked up in what the user
of the command has allowed.
"""
