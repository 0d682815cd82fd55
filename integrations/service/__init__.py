"""Common part of the web page (`chunker.integrations.serve`) and the MCP server (`chunker.integrations.mcp`): the files
that a client may read, and the workers.

    roots.py         the files that a client may read: those of the roots, and no others
    pool.py          worker processes, each with limits of time and memory
    worker.py        the program that runs in them
    operations.py    their operations: see, count, chunk, search, assemble
    keys.py          JSON with repeated keys
    errors.py        the exceptions raised on purpose

A client is any program that sends requests to the server. Nothing that it sends becomes a path, a module or a name to
load, unless the user of the command has allowed it.
"""
