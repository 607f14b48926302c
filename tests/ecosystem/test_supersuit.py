"""SuperSuit, as docs/libraries/supersuit_wrappers.py uses it."""

import pytest

from tests.ecosystem.recipes import foreign, run

pytest.importorskip("supersuit")


@foreign
def test_games_are_played_through_its_wrappers_with_legal_actions_alone(monkeypatch, capfd):
    recipe = run(monkeypatch, "supersuit_wrappers")
    assert recipe["decisions"] > 100
    assert (recipe["lowest"], recipe["highest"]) == (0.0, 1.0)
    assert recipe["finished"] > 3
    assert recipe["illegal"] == 0
    assert recipe["observations"].dtype == "float32"
    assert "Illegal move" not in capfd.readouterr().err
