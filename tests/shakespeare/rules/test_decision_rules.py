"""How the rules become moves: rules D1 to D3."""

from operator import itemgetter

import numpy as np
import pytest

from shakespeare_env import Batch, Position
from tests.contract.playing import legal, play
from tests.shakespeare import positions as p

MANY = range(40)


def test_d1_a_seat_with_nothing_to_choose_gets_no_decision():
    assert play(p.turn_position(), "activate:handyman_board")["to_move"] == 1  # nothing to take
    cards = ["author", "falstaff", "handyman_board"]
    d = p.turn_position(players=2, seats={0: p.seat(recruited=True, cylinders=3, resting=cards)})
    after = play(d, "activate:queen", "queen:money", "activate:falstaff")
    assert (p.seat_of(after, 0)["passed"], p.seat_of(after, 0)["cylinders"]) == (True, 2)
    assert after["to_move"] == 1


def test_d1_a_single_wearer_is_a_choice_if_the_element_may_be_left():
    worn = {"author": ["black"] * 3}
    d = p.turn_position(costumes={"pink": 1}, seats={0: p.seat(costumes=worn)})
    assert legal(d, "activate:handyman_board") == {"costume:pink>falstaff", "done"}


def test_d2_wagers_are_made_in_order():
    d = p.wager_position(order=[2, 0, 3, 1], initiative=[0, 1, 2, 3])
    assert [play(d, *["wager:2"] * n)["to_move"] for n in range(4)] == [2, 0, 3, 1]


def at_rest(**fields):
    """Return the last turn of three seats that have used the same characters."""
    used = ["author", "falstaff", "queen"]
    seats = {0: p.ready_to_pass(used=used), 1: p.finished(used=used), 2: p.finished(used=used)}
    return p.last_turn(players=3, seats=seats, **fields)


def after(d, *moves):
    game = Position.from_dict(d)
    for move in moves:
        game.push(move)
    return game


def guesses(game, index, *path):
    """Return the entry at a path in positions that a seat cannot tell from the true one."""
    found = [game.determinize(index, seed).to_dict() for seed in MANY]
    for key in path:
        found = [*map(itemgetter(key), found)]
    return found


def distinct(values):
    """Return how many of the values differ."""
    return len({repr(value) for value in values})


PUBLIC = (
    "day", "phase", "to_move", "order", "initiative", "piles", "display", "bags", "discarded",
    "deck", "discarded_characters", "supply_tokens", "queue", "winners",
)  # fmt: skip


def test_d3_everything_on_the_table_is_public():
    seats = {0: p.seat(["iago", "extra:lear"], objectives=["jewels"], tokens=1, pounds=3)}
    game = after(p.turn_position(seats=seats, sets={"pink": 2}))
    true = game.to_dict()
    for guess in guesses(game, 1):
        assert [guess[field] for field in PUBLIC] == [true[field] for field in PUBLIC]
        for guessed, real in zip(guess["seats"], true["seats"], strict=True):
            assert guessed | {"objectives": []} == real | {"objectives": []}


def test_d3_own_objectives_are_known_and_those_of_others_are_not():
    kept = {0: p.seat(objectives=["jewels", "wardrobe"]), 1: p.seat(objectives=["even_play"])}
    d = p.turn_position(seats=kept)
    game = after(d)
    assert distinct(guesses(game, 0, "seats", 0)) == 1
    assert distinct(guesses(game, 0, "seats", 1)) > 1
    assert distinct(guesses(game, 0, "objective_deck")) > 1
    for guess in guesses(game, 0):
        held = [card for one in guess["seats"] for card in one["objectives"]]
        assert sorted(held + guess["objective_deck"]) == sorted(p.OBJECTIVES)
    game = after(d, "activate:queen", "queen:objectives")
    mine = game.seen_by(0)
    other = game.seen_by(1)
    assert p.each(mine, "objectives") == [["jewels", "wardrobe"], ["?"], [], []]
    assert p.each(other, "objectives") == [["?", "?"], ["even_play"], [], []]
    assert mine["pending"] == game.to_dict()["pending"]
    assert other["pending"] == {"drawn": ["?"] * 3}
    assert mine["objective_deck"] == other["objective_deck"] == ["?"] * 4


def test_d3_the_cards_put_back_stay_known_to_their_seat_under_those_that_follow():
    game = after(p.turn_position(players=2), *["activate:queen", "queen:objectives"])
    assert distinct(guesses(game, 0, "pending")) == 1  # seat 0 sees what it has drawn
    assert distinct(sorted(drawn) for drawn in guesses(game, 1, "pending", "drawn")) > 1
    game.push(game.moves()[0])
    for move in ("activate:queen", "queen:objectives", None):
        game.push(move or game.moves()[0])
    true = game.to_dict()["objective_deck"][-4:]
    first = [d[-4:] for d in guesses(game, 0, "objective_deck")]
    second = [d[-4:] for d in guesses(game, 1, "objective_deck")]
    assert {tuple(deck[:2]) for deck in first} == {tuple(true[:2])}
    assert {tuple(deck[2:]) for deck in second} == {tuple(true[2:])}
    assert distinct(deck[2:] for deck in first) > 1
    assert distinct(deck[:2] for deck in second) > 1


@pytest.mark.parametrize(("index", "known"), [(0, True), (1, False), (3, False)])
def test_d3_a_wager_is_secret_until_all_are_in(index, known):
    game = after(p.wager_position(), "wager:4")
    found = guesses(game, index, "seats", 0, "wager")
    assert set(found) <= {1, 2, 3, 4, 5}
    assert (distinct(found) == 1) is known
    assert p.each(game.seen_by(index), "wager") == [4 if known else "?", None, None, None]
    for move in ("wager:2", "wager:1", "wager:1"):
        game.push(move)
    assert p.each(game.seen_by(index), "wager") == [4, 2, 1, 1]
    assert set(guesses(game, index, "seats", 0, "wager")) == {4}


def in_history(game, moves, seat, place):
    """Return the move at a place of a seat's history, the latest first, or None if it is hidden."""
    batch = Batch(players=game.players)
    batch.keep_history(len(moves))
    record = game.record()
    batch.load([0], np.array([record], record.dtype))
    played = game.copy()
    for move in moves:
        batch.step([played.action_id(move)])
        played.push(move)
    distance, number = batch.history([seat])[0, place].tolist()
    mover = (seat + distance - 1) % game.players
    return batch.actions.text(number - 1, mover, game.players) if number else None


def test_d3_a_history_shows_a_secret_choice_once_it_is_revealed():
    """It stays shown while the next ones are made. An objective is never shown to the others."""
    wagers = ["wager:4", "wager:2", "wager:1", "wager:1"]
    game = after(p.wager_position())
    for seat in range(4):
        own = "wager:4" if seat == 0 else None
        assert in_history(game, wagers[:3], seat, 2) == own
        assert in_history(game, wagers, seat, 3) == "wager:4"
    game = after(at_rest(), "pass")
    assert in_history(game, ["keep:queen"], 0, 0) == "keep:queen"
    assert in_history(game, ["keep:queen"], 1, 0) is None
    game = after(p.turn_position(), "activate:queen", "queen:objectives")
    kept = game.moves()[0]
    assert in_history(game, [kept], 0, 0) == kept
    assert in_history(game, [kept], 1, 0) is None


@pytest.mark.parametrize(("index", "known"), [(0, True), (1, False), (2, False)])
def test_d3_a_rest_choice_is_secret_until_all_are_in(index, known):
    game = after(at_rest(), "pass", "keep:queen")
    found = guesses(game, index, "seats", 0, "kept")
    assert set(found) <= {"author", "falstaff", "queen"}
    assert (distinct(found) == 1) is known
    assert p.each(game.seen_by(index), "kept") == ["queen" if known else "?", None, None]


def test_d3_the_order_of_the_deck_is_unknown():
    game = Position.from_dict(p.last_turn(players=2, shown=["lear"]), seed=5)
    rows = set()
    for seed in MANY:
        guess = game.determinize(0, seed)
        guess.push("pass")
        rows.add(tuple(guess.to_dict()["display"]["characters"]))
    assert len(rows) > 1


@pytest.mark.parametrize(
    ("move", "strategic_rest", "secret"),
    [
        ("wager:3", False, True),
        ("objective:jewels", True, True),
        ("keep:queen", False, True),
        ("keep:queen", True, False),
        ("queen:objectives", False, False),
        ("extra:hamlet", False, False),
    ],
)
def test_d3_moves_are_secret_where_what_they_choose_is(move, strategic_rest, secret):
    game = after(p.turn_position(strategic_rest=strategic_rest))
    assert game.game.is_secret(game.to_dict(), move) is secret
