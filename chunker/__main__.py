"""`python -m chunker` is the command `chunker`."""

from chunker.cli.app import main

if __name__ == "__main__":
    main()
