"""Games of another program are replayed move by move, and observations compared by number."""

from pathlib import Path

import pytest

from shakespeare_env import observation_layout
from tests.contract.random_games import TABLES, play_by_rule
from tests.contract.recorded_games import RecordedGame
from tests.shakespeare.observed import expected

pytestmark = pytest.mark.slow
DATA = Path(__file__).parents[1] / "data"
NAMES = ("solo", "two_seats_strategic_rest", "four_seats")
GAMES = pytest.mark.parametrize("game", [RecordedGame(DATA, name) for name in NAMES], ids=str)


def drawn(before, after):
    """Return the keys that chance decides, after the draft and in upkeep (S5, U1, U2)."""
    drafted = (before["phase"] == "draft") > (after["phase"] == "draft")
    if drafted or after["day"] > before["day"]:
        return ["deck", "discarded_characters", "display", "bags"]
    return []


@GAMES
def test_positions_legal_moves_moves_winners_and_scores_are_those_recorded(game):
    game.check_positions()
    game.check_legal_moves()
    game.check_moves(drawn)
    game.check_result(lambda last: [seat["prestige"] for seat in last["seats"]])


TABLES_HERE = [table for table in TABLES if table.game == "shakespeare"]


def assert_as_expected(position, seat, known):
    """Assert that every field holds what plain Python computes; absent seats hold zeros."""
    seen = position.observation(seat)
    fields = expected(position.to_dict(), seat, known)
    for field in observation_layout("shakespeare"):
        numbers = fields.pop(field.name, [0] * field.size)
        assert seen[field.slice].tolist() == numbers, (field.name, seat, position.phase)
    assert not fields


@pytest.mark.parametrize("table", TABLES_HERE, ids=str)
def test_played_games_are_observed_number_by_number(table):
    """The test itself notes which objectives a seat put back at the bottom (T17)."""
    position = table.position(seed=70)
    owner_of: dict[str, int] = {}
    before = position.to_dict()
    for number, reached in enumerate(play_by_rule(position, salt=70)):
        now = reached.to_dict()
        pile = now["objective_deck"]
        if len(pile) > len(before["objective_deck"]):
            put_back = pile[len(before["objective_deck"]) :]
            owner_of |= dict.fromkeys(put_back, before["to_move"])
        owner_of = {card: seat for card, seat in owner_of.items() if card in pile}
        before = now
        if number % 3:
            continue
        for seat in range(table.players):
            own = [card for card, owner in owner_of.items() if owner == seat]
            known = {card: pile.index(card) + 1 for card in own}
            assert_as_expected(reached, seat, known)
