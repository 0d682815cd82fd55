"""What a release says of itself where it is published."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import bpe_engine

REPOSITORY = Path(__file__).resolve().parent.parent
ADDRESS = "https://example.org/owner/name"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    found = importlib.util.spec_from_file_location("name_repository", REPOSITORY / "scripts" / "name_repository.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_every_link_of_the_readme_is_absolute_and_leads_to_a_file(script: ModuleType) -> None:
    made = script.absolute((REPOSITORY / "README.md").read_text(encoding="utf-8"), ADDRESS, "v1")
    addresses = re.findall(r"\]\(([^)]+)\)", made)
    own = [address for address in addresses if address.startswith(ADDRESS)]
    assert len(own) > 20
    assert all(re.match(r"https?:|#", address) for address in addresses)
    for address in own:
        view, revision, path = address.removeprefix(ADDRESS + "/").split("/", 2)
        assert revision == "v1"
        assert view == ("raw" if path.endswith((".png", ".svg")) else "blob")
        assert (REPOSITORY / path.partition("#")[0]).exists(), path
    assert script.absolute(made, ADDRESS, "v1") == made


def test_a_picture_that_is_a_link(script: ModuleType) -> None:
    assert script.absolute("[![seen](a.png)](b.md) [c](https://d) [e](#f)", "R", "v") == (
        "[![seen](R/raw/v/a.png)](R/blob/v/b.md) [c](https://d) [e](#f)"
    )


def test_addresses_of_the_project(script: ModuleType) -> None:
    settings = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    made = script.with_addresses(settings, ADDRESS, "v1")
    project = tomllib.loads(made)["project"]
    assert project["urls"]["Source"] == ADDRESS
    assert project.pop("urls")
    assert project == tomllib.loads(settings)["project"]
    assert script.with_addresses(made, ADDRESS, "v1") == made


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])


def test_what_tries_a_wheel() -> None:
    if bpe_engine.implementation() != "cpp":
        pytest.skip("this installation has no compiled core")
    command = [sys.executable, "-P", str(REPOSITORY / "scripts" / "try_wheel.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
