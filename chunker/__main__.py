"""The command `chunker`, also as `python -m chunker`."""

# Imports that run before the first line of help cost start-up time.
# ruff: noqa: PLC0415

from __future__ import annotations

import sys


def main() -> None:
    """Run the command and exit."""
    try:
        if sys.argv[1:] == ["--version"] and sys.stdout is not None:
            from chunker.version import version_line

            sys.stdout.write(f"{version_line()}\n")
            sys.stdout.flush()
            return
        from chunker.cli.app import main as run

        run()
    except KeyboardInterrupt:  # before a command has started, or after it has ended
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    except OSError as error:  # commands handle their own: here, help or the version could not be written
        from chunker.cli.console import code_of_output_error

        sys.exit(code_of_output_error(error))
    except Exception as error:
        # A wrong BPE_ENGINE_IMPLEMENTATION: the import of bpe_engine failed, so its errors are not imported again.
        errors = sys.modules.get("bpe_engine.errors")
        if errors is None or not isinstance(error, errors.BpeEngineError):
            raise
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
