"""Importing a plug-in imports what it plugs into, and no other plug-in; where that is not installed, it says how to install it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bpe_engine

PLUGINS = {
    "chonkie": "chonkie",
    "haystack": "haystack",
    "langchain": "langchain_text_splitters",
    "llamaindex": "llama_index",
}
# No package of what it plugs into can be found, as if none were installed.
_HIDE = """
import sys, importlib.abc
class Hiding(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"chonkie", "haystack", "langchain_core", "langchain_text_splitters", "llama_index"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hiding())
"""


def run(program: str) -> str:
    """What a fresh interpreter prints."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(bpe_engine.__file__).resolve().parent.parent),
        "HAYSTACK_TELEMETRY_ENABLED": "False",
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("plugin", PLUGINS)
def test_one_plugin_imports_no_other(plugin: str) -> None:
    if importlib.util.find_spec(PLUGINS[plugin]) is None:
        pytest.skip(f'needs {PLUGINS[plugin]}: pip install "bpe-chunker[{plugin}]"')
    program = f"import integrations.{plugin}, sys, json; print(json.dumps(sorted(sys.modules)))"
    modules = set(json.loads(run(program).splitlines()[-1]))
    assert PLUGINS[plugin] in modules
    others = [other for other in PLUGINS if other != plugin]
    assert not modules & {f"integrations.{other}" for other in others}
    assert not modules & {PLUGINS[other] for other in others}


@pytest.mark.parametrize("plugin", PLUGINS)
def test_what_is_missing_and_how_to_install_it(plugin: str) -> None:
    program = f"""{_HIDE}
try:
    import integrations.{plugin}
except ImportError as error:
    print(error)
"""
    assert f'is not installed: pip install "bpe-chunker[{plugin}]"' in run(program)


def test_the_package_imports_none_of_them() -> None:
    program = f"{_HIDE}\nimport integrations, integrations.splitting, integrations.separators, sys, json; print(json.dumps(sorted(sys.modules)))"
    modules = set(json.loads(run(program)))
    assert not modules & {f"integrations.{plugin}" for plugin in PLUGINS}
