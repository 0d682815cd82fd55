"""`chunker mcp`: count, chunk, list files, map, search and assemble for agents, by the Model Context Protocol over standard input and output.

    command.py    the command: which roots, which index
    server.py     the tools
    asked.py      their arguments
    messages.py   lines of standard input that are not messages

Read-only, and confined to the roots it is given (`chunker.integrations.service.roots`). Needs the official SDK (the
extra `mcp`), imported when the command runs.
"""
