"""Whole games recorded by another program, replayed move by move.

Each file is JSON lines: the first holds a position, every other one a move, the moves that were
legal and the next position. Chance is drawn by whoever plays, so where cards or elements were drawn
the draw is checked to have been possible and all the rest to be the same.
"""

import gzip
import json
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from shakespeare_env import Position

DATA = Path(__file__).parent / "data"
GAMES = ("solo", "two_seats_strategic_rest", "four_seats")
CARDS_BY_CHANCE = ("deck", "discarded_characters")
KINDS = ("costumes", "sets")


@cache
def recorded(name):
    """The lines of a recorded game."""
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def steps(name):
    """(position, move, legal moves, next position) of a recorded game."""
    for before, after in pairwise(recorded(name)):
        yield before["position"], after["move"], after["legal"], after["position"]


def text(value):
    """JSON text, in which 1, 1.0 and true are three different things."""
    return json.dumps(value, sort_keys=True)


def is_by_chance(before, after):
    """Whether cards were drawn in a step: after the draft and in upkeep (S5, U1, U2)."""
    return after["day"] > before["day"] or (before["phase"] == "draft") > (
        after["phase"] == "draft"
    )


def without_draws(position):
    """What chance has no hand in: cards and elements drawn, and what is left to draw, taken out."""
    rest = {key: value for key, value in position.items() if key not in CARDS_BY_CHANCE}
    return rest | {"display": None, "bags": None}


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


@pytest.mark.parametrize("name", GAMES)
def test_every_recorded_position_is_read_and_written_unchanged(name):
    for line in recorded(name):
        assert text(Position.from_dict(line["position"]).to_dict()) == text(line["position"])


@pytest.mark.parametrize("name", GAMES)
def test_the_legal_moves_are_those_recorded(name):
    for before, move, legal, _ in steps(name):
        position = Position.from_dict(before)
        assert sorted(position.moves()) == legal, (before["phase"], move)


@pytest.mark.parametrize("name", GAMES)
def test_every_move_leads_to_the_position_recorded(name):
    for number, (before, move, _, after) in enumerate(steps(name), start=1):
        position = Position.from_dict(before, seed=number)
        position.push(move)
        reached = position.to_dict()
        if is_by_chance(before, after):
            assert text(without_draws(reached)) == text(without_draws(after)), (number, move)
        else:
            assert text(reached) == text(after), (number, move)


@pytest.mark.parametrize("name", GAMES)
def test_what_was_drawn_is_possible_in_the_record_and_in_the_engine(name):
    draws = 0
    for number, (before, move, _, after) in enumerate(steps(name), start=1):
        if not is_by_chance(before, after):
            continue
        position = Position.from_dict(before, seed=number)
        position.push(move)
        reached = position.to_dict()
        for drawn in (after, reached):
            assert_draw_of_elements_possible(before, drawn, after["day"] > before["day"])
            assert_draw_of_cards_possible(before, drawn, reached["discarded_characters"])
        everywhere = [
            Counter(p["deck"] + p["discarded_characters"] + p["display"]["characters"])
            for p in (after, reached)
        ]
        assert everywhere[0] == everywhere[1]
        draws += 1
    assert draws == 6  # after the draft, and as days 1 to 5 end


@pytest.mark.parametrize("name", GAMES)
def test_the_recorded_winners_and_scores_are_the_engines(name):
    last = recorded(name)[-1]["position"]
    position = Position.from_dict(last)
    assert position.moves() == []
    assert position.winners == last["winners"]
    assert position.scores() == [seat["prestige"] for seat in last["seats"]]
