"""Data: JSON, JSON Lines, CSV, TOML, YAML and notebooks."""
