"""Games recorded by another program, replayed move by move.

Where cards or elements were drawn, the draw is checked to have been possible.
"""

from collections import Counter
from pathlib import Path

import pytest

from tests.contract.recorded_games import RecordedGame

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
