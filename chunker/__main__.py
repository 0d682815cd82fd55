"""`python -m chunker` is the command `chunker`."""

from chunker.cli import main

if __name__ == "__main__":
    main()
