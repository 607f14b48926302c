"""TorchRL, as docs/libraries/torchrl_ppo.py uses it."""

import pytest

from tests.ecosystem.recipes import foreign, run

pytest.importorskip("torchrl")


@foreign
def test_a_seat_learns_and_all_seats_play_with_legal_actions_alone(monkeypatch):
    recipe = run(monkeypatch, "torchrl_ppo")
    scores = recipe["scores"]
    assert max(scores[-2:]) > scores[0]
    rows = recipe["rows"]
    assert rows["action_mask"].gather(-1, rows["action"].unsqueeze(-1)).all()
    played, seats = recipe["played"], recipe["table"].group_map
    deciding = sum(played[seat, "mask"].long() for seat in seats)
    assert (deciding == 1).all()
    for seat in seats:
        taken = played[seat, "action_mask"].gather(-1, played[seat, "action"].unsqueeze(-1))
        assert taken[played[seat, "mask"]].all()
