"""Code of any language that has a tree-sitter grammar."""
