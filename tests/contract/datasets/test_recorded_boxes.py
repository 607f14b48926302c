"""Games recorded with another box are refused: its table would be drawn in place of theirs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shakespeare_env.checks.box_files import facts_digest
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_decisions, read_games
from shakespeare_env.errors import DatasetError
from tests.contract import knowledge
from tests.contract.command_line import printed, refused
from tests.contract.small_datasets import small_settings, write

NAME = registry.names()[-1]
VARIABLE = f"{NAME.upper()}_BOX"
OWN = registry.folder(NAME) / "box.toml"
OTHER = "0" * 64


@pytest.fixture
def dataset(tmp_path):
    write(tmp_path / "dataset", small_settings(NAME, deals=1))
    return tmp_path / "dataset"


def another_box(path):
    changes = knowledge.of(NAME, "box_changes")
    path.write_text(OWN.read_text(encoding="utf-8").replace(changes.OLD, changes.NEW[0][0]))
    return path


def sign(dataset, digest):
    """Make the manifest say that the games were played with another box."""
    manifest = dataset / "manifest.json"
    manifest.write_text(manifest.read_text().replace(registry.box_digest(NAME), digest))


def test_a_dataset(dataset):
    move = read_decisions(dataset).select("move").head(1).collect().item()
    sign(dataset, OTHER)
    said = (
        f"{dataset}: made with another box than the package's own, which is in force; "
        f"set {VARIABLE} to the box it was made with"
    )
    for read in (read_games, read_decisions):
        with pytest.raises(DatasetError) as caught:
            read(dataset)
        assert str(caught.value) == said
    for arguments in (["--list"], ["--at", "0", "--instead", move]):
        assert f"Error: {said}" == refused("replay", str(dataset), *arguments)
    resume = ["dataset", *["random"] * 3, "--game", NAME, "--games", "3", "--out", str(dataset)]
    assert "made with another box than the package's own" in refused(*resume)


def test_a_dataset_that_kept_its_box_names_the_copy(dataset):
    copy = another_box(dataset / "box.toml")
    sign(dataset, facts_digest(OWN.parent, copy))
    with pytest.raises(DatasetError, match="the package's own, which is in force") as caught:
        read_games(dataset)
    assert str(caught.value).endswith(f"; set {VARIABLE}={copy}, the copy of its box")
    copy.write_bytes(OWN.read_bytes())  # what is no copy of it is not named
    with pytest.raises(DatasetError, match="to the box it was made with"):
        read_games(dataset)


def test_under_ones_own_box(dataset, tmp_path):
    """In processes of their own: this one plays with the package's."""
    box, folder = another_box(tmp_path / "mine.toml"), tmp_path / "kept"

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "shakespeare_env", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, VARIABLE: str(box)},
        )

    done = run("replay", str(dataset), "--at", "0")
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"Error: {dataset}: made with the package's own box, but {box} is in force, which differs "
    )
    assert done.stderr.endswith(f"; unset {VARIABLE}\n")
    # A dataset keeps the box it is played with, also when it is complete, but not the package's.
    for _ in range(2):
        run("dataset", "random", "--game", NAME, "--games", "3", "--out", str(folder))
        assert (folder / "box.toml").read_bytes() == box.read_bytes()
        (folder / "box.toml").unlink()
    assert not (dataset / "box.toml").exists()


@pytest.mark.parametrize("name", registry.names())
def test_json_lines(name, tmp_path):
    """The digest is in the first line, as the protocol gives it; older files lack it."""
    asked = [{"command": "new", "game": name, "players": registry.seats(name)[-1]}]
    text = "".join(json.dumps(line) + "\n" for line in [*asked, {"command": "state"}])
    line = json.loads(printed("protocol", input=text).splitlines()[-1])["result"]
    assert line["box_digest"] == registry.box_digest(name)
    file = Path(tmp_path / "game.jsonl")

    def write_line(**line):
        file.write_text(json.dumps(line) + "\n")
        return str(file)

    for whole in (line, {"position": line["position"]}):
        assert printed("replay", write_line(**whole), "--at", "0")
    said = refused("replay", write_line(**line | {"box_digest": OTHER}), "--at", "0")
    assert said.startswith(f"Error: {file}: made with another box than the package's own")
    message = refused("replay", write_line(**line | {"box_digest": 7}), "--at", "0")
    assert "has no 'box_digest'" in message
