"""Several runs in one picture: what makes a group, its band, and what is refused."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from shakespeare_agents.networks.bundled import bundled_checkpoint
from shakespeare_env.core import registry
from shakespeare_training.compare.picture import SIZE
from shakespeare_training.compare.series import course, followed, grouped
from shakespeare_training.runs.history import ITSELF, Measurement
from tests.contract.command_line import printed, refused

GAME = registry.names()[-1]
CARD = json.loads((bundled_checkpoint(registry.game(GAME)) / "card.json").read_text())
RIVAL = "heuristic"


def write(folder, rates, game=GAME, opponent=RIVAL, **settings):
    """A run's card with win rates in per cent by decisions, at three seats."""
    rows = []
    for decisions, rate in rates.items():
        won, score = (rate / 100, rate / 100 - 0.1, rate / 100 + 0.1), (30.0, 40.0 + rate)
        rows.append(Measurement(decisions, decisions / 10, 3, opponent, 30, *won, *score))
        rows.append(Measurement(decisions, decisions / 10, 3, ITSELF, 30, None, None, None, *score))
    figures = {"history": [asdict(row) for row in rows]}
    folder.mkdir()
    card = CARD | {"game": game, "settings": settings, "figures": figures}
    (folder / "card.json").write_text(json.dumps(card))
    return folder


def percents(one):
    return one.percents


def test_runs_that_differ_in_their_seed_alone_are_one_line(tmp_path):
    """Its band spans the seeds, up to the end of the shortest run; a single seed's is its own."""
    folders = [
        write(tmp_path / "a", {0: 10, 1000: 30, 2000: 50}, seed=1, width=64),
        write(tmp_path / "b", {0: 20, 500: 30, 1500: 70}, seed=2, width=64),
        write(tmp_path / "c", {0: 10, 1000: 90}, seed=1, width=128),
    ]
    groups = grouped([followed(folder) for folder in folders])
    assert list(groups) == ["width=64, 2 seeds", "width=128, 1 seed"]
    two, one = (course(runs, 3, RIVAL, percents) for runs in groups.values())
    assert two
    assert one
    assert two.decisions.tolist() == [0, 500, 1000, 1500]
    np.testing.assert_allclose(two.low, [10, 20, 30, 40])
    np.testing.assert_allclose(two.high, [20, 30, 50, 70])
    np.testing.assert_allclose(two.mean, [15, 25, 40, 55])
    np.testing.assert_allclose([one.low, one.mean, one.high], [[0, 80], [10, 90], [20, 100]])
    out = tmp_path / "curves.png"
    printed("curves", *map(str, folders), "--out", str(out))
    header = out.read_bytes()[16:24]
    assert np.frombuffer(header, ">u4").tolist() == list(SIZE)


def test_what_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("a"), {0: 10})
    write(Path("other"), {0: 10}, game=registry.names()[0])
    write(Path("empty"), {})
    write(Path("stranger"), {0: 10}, opponent="random")
    for arguments, said in [
        (["nowhere"], "nowhere"),
        (["a", "other"], "give runs of one game"),
        (["empty"], "nothing was measured yet"),
        (["a", "--players", "5"], "at one table of 5 seats"),
        (["a", "stranger", "--against", RIVAL], "all played nobody"),
    ]:
        assert said in refused("curves", *arguments), arguments
    assert not Path("curves.png").exists()


@pytest.mark.parametrize("figures", [{}, {"history": [{"decisions": 3}]}])
def test_a_card_without_measurements(tmp_path, figures):
    folder = write(tmp_path / "a", {0: 10})
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps(card | {"figures": figures}))
    assert "holds no measurements" in refused("curves", str(folder))
