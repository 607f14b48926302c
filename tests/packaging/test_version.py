"""All files name one version."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_all_files_name_one_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    newest = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1]
    assert newest.splitlines()[0] == version
