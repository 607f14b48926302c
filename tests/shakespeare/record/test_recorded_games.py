"""Games recorded by another program, replayed move by move; what is observed, number by number.

Where cards or elements were drawn, the draw is checked to have been possible.
"""

from collections import Counter
from pathlib import Path

import pytest

from shakespeare_env import Position, observation_layout
from tests.contract.random_games import TABLES, game_from
from tests.contract.recorded_games import RecordedGame
from tests.shakespeare.observed import expected

pytestmark = pytest.mark.slow
DATA = Path(__file__).parents[1] / "data"
NAMES = ("solo", "two_seats_strategic_rest", "four_seats")
GAMES = pytest.mark.parametrize("game", [RecordedGame(DATA, name) for name in NAMES], ids=str)
KINDS = ("costumes", "sets")


def drawn(before, after):
    """What was drawn and what is left to draw: after the draft and in upkeep (S5, U1, U2)."""
    drafted = (before["phase"] == "draft") > (after["phase"] == "draft")
    if drafted or after["day"] > before["day"]:
        return ["deck", "discarded_characters", "display", "bags"]
    return []


def assert_draw_of_elements_possible(before, after, day_passed):
    """3N of each kind left the bags as a day passed, nothing else did (U2)."""
    n = max(before["players"], 2)
    for kind in KINDS:
        drawn = Counter(before["bags"][kind])
        drawn.subtract(after["bags"][kind])
        assert min(drawn.values()) >= 0
        assert drawn.total() == (3 * n if day_passed else 0)
        if day_passed:
            assert Counter(after["display"][kind]) == drawn


def assert_draw_of_cards_possible(before, after, discarded):
    """N+2 cards came from the deck, its last cards before the reshuffled discards (S5, U1)."""
    shown, deck = Counter(after["display"]["characters"]), Counter(before["deck"])
    assert shown.total() == max(before["players"], 2) + 2
    if deck.total() >= shown.total():
        assert shown <= deck
        assert Counter(after["deck"]) == deck - shown
        assert after["discarded_characters"] == discarded
    else:
        assert deck <= shown
        assert after["discarded_characters"] == []


@GAMES
def test_positions_legal_moves_moves_winners_and_scores_are_those_recorded(game):
    game.check_positions()
    game.check_legal_moves()
    game.check_moves(drawn)
    game.check_result(lambda last: [seat["prestige"] for seat in last["seats"]])


@GAMES
def test_what_was_drawn_is_possible_in_the_record_and_in_the_engine(game):
    draws = [*game.draws(drawn)]
    assert len(draws) == 6  # after the draft, and as days 1 to 5 end
    for step in draws:
        before, reached = step.before, step.played()
        day_passed = step.after["day"] > before["day"]
        for after in (step.after, reached):
            assert_draw_of_elements_possible(before, after, day_passed)
            assert_draw_of_cards_possible(before, after, reached["discarded_characters"])
        everywhere = [
            Counter(p["deck"] + p["discarded_characters"] + p["display"]["characters"])
            for p in (step.after, reached)
        ]
        assert everywhere[0] == everywhere[1]


TABLES_HERE = [table for table in TABLES if table.game == "shakespeare"]


def assert_as_expected(position, seat, known):
    """Every field holds what plain Python makes of the text; absent seats hold zeros."""
    seen = position.observation(seat)
    fields = expected(position.to_dict(), seat, known)
    for field in observation_layout("shakespeare"):
        numbers = fields.pop(field.name, [0] * field.size)
        assert seen[field.slice].tolist() == numbers, (field.name, seat, position.phase)
    assert not fields


@GAMES
def test_recorded_games_are_observed_number_by_number(game):
    """Read from text, where nobody remembers what it put back."""
    for recorded in game.positions()[::3]:
        position = Position.from_dict(recorded)
        for seat in range(position.players):
            assert_as_expected(position, seat, known={})


@pytest.mark.parametrize("table", TABLES_HERE, ids=str)
def test_played_games_are_observed_number_by_number(table):
    """What a seat put back is followed by hand: the others of its draw, at the bottom (T17)."""
    position = table.position(seed=70)
    knows: dict[str, int] = {}
    before = position.to_dict()
    for number, reached in enumerate(game_from(position, salt=70)):
        now = reached.to_dict()
        pile = now["objective_deck"]
        if len(pile) > len(before["objective_deck"]):
            put_back = pile[len(before["objective_deck"]) :]
            knows |= dict.fromkeys(put_back, before["to_move"])
        knows = {objective: seat for objective, seat in knows.items() if objective in pile}
        before = now
        if number % 3:
            continue
        for seat in range(table.players):
            known = {o: pile.index(o) + 1 for o, owner in knows.items() if owner == seat}
            assert_as_expected(reached, seat, known)
