"""`chunker serve`: a small web page on this machine to paste or open a text, see its chunks, and search an index.

    command.py    the command: what is served, and to whom
    server.py     the application, and the loop that serves it
    api.py        the endpoints of the REST API
    guard.py      who may ask: names of the host, origins, the token, headers of every answer
    bodies.py     what is asked: bodies with limits of size and time, as models
    patience.py   clients that send too slowly, or take too long to read
    page.py       the page, made of the parts of that of `chunker view`
    openapi.py    the REST API as an OpenAPI document; `answers.py`: the models of its answers
    reading.py    the same as a page
    assets/       what the page has beside the parts; `samples/`: texts to begin with

Needs starlette and uvicorn (the extra `serve`), imported when the command runs.
"""
