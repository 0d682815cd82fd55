"""The command `chunker`: one file a sub-command."""
