"""Tianshou, as docs/libraries/tianshou_ppo.py uses it."""

import pytest

from tests.ecosystem.recipes import foreign, run

pytest.importorskip("tianshou")


@foreign
def test_a_seat_learns_and_joins_a_table_with_legal_actions_alone(monkeypatch, capfd):
    recipe = run(monkeypatch, "tianshou_ppo")
    # An illegal action costs ten points.
    assert recipe["after"] > recipe["before"] > 0
    assert recipe["at_table"].shape == (2,)
    assert (recipe["at_table"] > 0).all()
    assert "Illegal move" not in capfd.readouterr().err
