"""`chunker serve`: a small web page on this machine to paste or open a text, see its chunks, and search an index.

    command.py    the command and its options
    server.py     the application, and the loop that serves it
    api.py        the endpoints of the REST API
    guard.py      access control: names of the host, origins, the token, headers of every answer
    bodies.py     request bodies with limits of size and time, as models
    patience.py   clients that send too slowly, or take too long to read
    page.py       the page, built from the parts of the page of `chunker view`
    openapi.py    the REST API as an OpenAPI document; `answers.py`: the models of its answers
    reading.py    the API as a page to read
    assets/       the page's own files; `samples/`: example texts

Needs starlette and uvicorn (the extra `serve`), imported when the command runs.
"""
