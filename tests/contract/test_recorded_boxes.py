"""Games recorded with another box are refused: its table would be drawn in place of theirs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shakespeare_env import Position, registry
from shakespeare_env.box_reading import facts_digest
from shakespeare_env.datasets import read_decisions, read_games
from shakespeare_env.errors import DatasetError
from tests.contract import knowledge
from tests.contract.command_line import printed, refused
from tests.contract.small_datasets import small_settings, write

games = pytest.mark.parametrize("name", registry.names())
OTHER = "0" * 64


@pytest.fixture
def dataset(name, tmp_path):
    write(tmp_path / "dataset", small_settings(name, deals=1))
    return tmp_path / "dataset"


@games
def test_a_dataset(name, dataset):
    manifest = dataset / "manifest.json"
    text = manifest.read_text()
    move = read_decisions(dataset).select("move").head(1).collect().item()
    manifest.write_text(text.replace(registry.box_digest(name), OTHER))
    said = (
        f"{dataset}: made with another box than the package's own, which is in force; "
        f"set {name.upper()}_BOX to the box it was made with"
    )
    for read in (read_games, read_decisions):
        with pytest.raises(DatasetError) as caught:
            read(dataset)
        assert str(caught.value) == said
    for arguments in ([], ["--list"], ["--at", "0"], ["--at", "0", "--instead", move]):
        assert f"Error: {said}" == refused("replay", str(dataset), *arguments)
    assert OTHER not in refused("replay", str(dataset))


@games
def test_a_dataset_that_kept_its_box_names_the_copy(name, dataset):
    changes = knowledge.of(name, "box_changes")
    own = registry.folder(name) / "box.toml"
    copy = dataset / "box.toml"
    copy.write_text(own.read_text(encoding="utf-8").replace(changes.OLD, changes.NEW[0][0]))
    manifest = dataset / "manifest.json"
    digest = facts_digest(own.parent, copy)
    manifest.write_text(manifest.read_text().replace(registry.box_digest(name), digest))
    with pytest.raises(DatasetError, match="the package's own, which is in force") as caught:
        read_games(dataset)
    assert str(caught.value).endswith(f"; set {name.upper()}_BOX={copy}, the copy of its box")
    # What is no copy of it is not named.
    for damage in (copy.unlink, lambda: copy.symlink_to("/dev/zero"), replaced(copy, own)):
        damage()
        with pytest.raises(DatasetError, match="to the box it was made with"):
            read_games(dataset)


def replaced(copy, content):
    def write():
        copy.unlink()
        copy.write_bytes(content.read_bytes())

    return write


def test_a_dataset_keeps_the_box_it_is_played_with(tmp_path):
    """In a process of its own, with the package's facts in another file."""
    name = registry.names()[-1]
    box, folder = tmp_path / "mine.toml", tmp_path / "dataset"
    box.write_text((registry.folder(name) / "box.toml").read_text("utf-8") + "\n# my copy\n")
    arguments = ["random", "--game", name, "--games", "3", "--out", str(folder)]
    program = (
        "import os, sys\n"
        "from shakespeare_env.cli import app\n"
        "for _ in range(2):\n"
        "    app(sys.argv[1:], standalone_mode=False)\n"
        f"    os.rename({str(folder / 'box.toml')!r}, {str(tmp_path / 'kept.toml')!r})\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, "dataset", *arguments],
        check=True,
        env={**os.environ, f"{name.upper()}_BOX": str(box)},
    )
    assert (tmp_path / "kept.toml").read_bytes() == box.read_bytes()
    printed("dataset", *arguments)
    assert not (folder / "box.toml").exists()


@games
def test_one_of_the_packages_box_under_ones_own(name, dataset, tmp_path):
    """In a process of its own: this one plays with the package's."""
    changes = knowledge.of(name, "box_changes")
    box = tmp_path / "mine.toml"
    own = Path(registry.__file__).parent / name / "box.toml"
    box.write_text(own.read_text(encoding="utf-8").replace(changes.OLD, changes.NEW[0][0]))
    done = subprocess.run(
        [sys.executable, "-m", "shakespeare_env", "replay", str(dataset), "--at", "0"],
        capture_output=True,
        text=True,
        env={**os.environ, f"{name.upper()}_BOX": str(box)},
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"Error: {dataset}: made with the package's own box, but {box} is in force, which differs "
    )
    assert done.stderr.endswith(f"; unset {name.upper()}_BOX\n")


@games
def test_a_dataset_that_is_resumed(name, tmp_path):
    folder = str(tmp_path / "dataset")
    arguments = ["random", "random", "--game", name, "--games", "4", "--out", folder]
    printed("dataset", *arguments)
    manifest = tmp_path / "dataset" / "manifest.json"
    manifest.write_text(manifest.read_text().replace(registry.box_digest(name), OTHER))
    said = refused("dataset", *arguments)
    assert "made with another box than the package's own" in said
    assert OTHER not in said


@games
def test_json_lines(name, tmp_path):
    """The digest is in the first line, as the protocol gives it; older files lack it."""
    position = Position.new(name, players=registry.seats(name)[-1], seed=1).to_dict()
    file = tmp_path / "game.jsonl"

    def write_line(**more):
        file.write_text(json.dumps({"position": position, **more}) + "\n")
        return str(file)

    for digest in ({}, {"box_digest": registry.box_digest(name)}):
        assert printed("replay", write_line(**digest), "--at", "0")
    said = refused("replay", write_line(box_digest=OTHER), "--at", "0")
    assert said.startswith(f"Error: {file}: made with another box than the package's own")
    assert "has no 'box_digest'" in refused("replay", write_line(box_digest=7), "--at", "0")


@games
def test_what_the_protocol_gives_is_a_first_line(name, tmp_path):
    asked = [{"command": "new", "game": name, "players": registry.seats(name)[-1]}]
    asked += [{"command": "state"}]
    text = "".join(json.dumps(line) + "\n" for line in asked)
    answer = json.loads(printed("protocol", input=text).splitlines()[-1])
    (tmp_path / "game.jsonl").write_text(json.dumps(answer["result"]) + "\n")
    assert answer["result"]["box_digest"] == registry.box_digest(name)
    assert printed("replay", str(tmp_path / "game.jsonl"), "--at", "0")
