"""How the rules become moves: rules D1 to D3."""

import pytest

from shakespeare_env import Position
from tests.contract.playing import legal, play
from tests.shakespeare.positions import (
    OBJECTIVES,
    character,
    each,
    finished,
    last_turn,
    ready_to_pass,
    seat,
    seat_of,
    turn_position,
    wager_position,
)

MANY = range(40)


# ---- D1 ----------------------------------------------------------------------------------------


def test_d1_a_craftsman_with_nothing_to_take_is_not_asked():
    after = play(turn_position(), "activate:handyman_board")
    assert (after["phase"], after["to_move"]) == ("turn", 1)


def test_d1_a_seat_that_can_only_pass_is_not_asked():
    cards = ["author", "falstaff", "handyman_board"]
    d = turn_position(players=2, seats={0: seat(recruited=True, cylinders=3, resting=cards)})
    after = play(d, "activate:queen", "queen:money", "activate:falstaff")
    assert (seat_of(after, 0)["passed"], seat_of(after, 0)["cylinders"]) == (True, 2)
    assert after["to_move"] == 1


def test_d1_a_single_wearer_is_not_asked_for_when_the_element_must_be_taken():
    worn = {"author": ["black"] * 3}
    d = turn_position(costumes={"yellow": 1}, seats={0: seat(["jeweler"], costumes=worn)})
    assert character(play(d, "activate:jeweler"), 0, "falstaff")["costume"] == ["yellow"]


def test_d1_a_single_wearer_is_asked_for_when_the_element_may_be_left():
    worn = {"author": ["black"] * 3}
    d = turn_position(costumes={"pink": 1}, seats={0: seat(costumes=worn)})
    assert legal(d, "activate:handyman_board") == {"costume:pink>falstaff", "done"}


def test_d1_forced_moves_follow_each_other_into_the_next_day():
    # Seat 1 recruits last; mood, upkeep and rest ask nobody anything.
    d = turn_position(
        players=2,
        to_move=1,
        shown=["lear", "puck"],
        seats={0: finished(), 1: seat(cylinders=0, used=["queen"])},
    )
    after = play(d, "recruit:lear")
    assert (after["phase"], after["day"], after["to_move"]) == ("wager", 4, 0)


def test_d1_there_are_always_two_moves_to_choose_from():
    for players, seed in ((1, 3), (2, 4), (3, 5), (4, 6)):
        game, step = Position.new("shakespeare", players=players, seed=seed), 0
        while game.to_move is not None:
            moves = game.moves()
            assert len(moves) == len(set(moves)) >= 2
            game.push(moves[(7 * step + seed) % len(moves)])
            step += 1


# ---- D2 ----------------------------------------------------------------------------------------


def test_d2_wagers_are_asked_in_order():
    d = wager_position(order=[2, 0, 3, 1], initiative=[0, 1, 2, 3])
    asked = [play(d, *["wager:2"] * n)["to_move"] for n in range(4)]
    assert asked == [2, 0, 3, 1]


def test_d2_rest_is_asked_in_order():
    used = ["falstaff", "queen"]
    seats = {0: ready_to_pass(used=used), 1: finished(used=used), 2: finished(used=used)}
    d = last_turn(players=3, order=[1, 2, 0], initiative=[0, 2, 1], seats=seats)
    first = play(d, "pass")
    second = play(first, "keep:queen")
    third = play(second, "keep:queen")
    assert [first["to_move"], second["to_move"], third["to_move"]] == [1, 2, 0]
    assert [first["queue"], second["queue"], third["queue"]] == [[2, 0], [0], []]


# ---- D3: what a seat knows is what `determinize` keeps -----------------------------------------


def guesses(game, index):
    """Positions that this seat cannot tell from the true one."""
    return [game.determinize(index, seed).to_dict() for seed in MANY]


def distinct(values):
    """How many of the values differ."""
    return len({repr(value) for value in values})


PUBLIC = (
    "day", "phase", "to_move", "order", "initiative", "piles", "display", "bags", "discarded",
    "deck", "discarded_characters", "supply_tokens", "queue", "winners",
)  # fmt: skip


def test_d3_everything_on_the_table_is_public():
    seats = {0: seat(["iago", "extra:lear"], objectives=["jewels"], tokens=1, pounds=3)}
    game = Position.from_dict(turn_position(seats=seats, sets={"pink": 2}))
    true = game.to_dict()
    for guess in guesses(game, 1):
        for field in PUBLIC:
            assert guess[field] == true[field], field
        for mine, theirs in zip(guess["seats"], true["seats"], strict=True):
            assert mine | {"objectives": []} == theirs | {"objectives": []}


def test_d3_own_objectives_are_known_and_those_of_others_are_not():
    kept = {0: seat(objectives=["jewels", "wardrobe"]), 1: seat(objectives=["even_play"])}
    game = Position.from_dict(turn_position(seats=kept))
    found = guesses(game, 0)
    assert {tuple(guess["seats"][0]["objectives"]) for guess in found} == {("jewels", "wardrobe")}
    assert distinct(guess["seats"][1]["objectives"] for guess in found) > 1
    assert distinct(guess["objective_deck"] for guess in found) > 1
    for guess in found:
        everywhere = [card for one in guess["seats"] for card in one["objectives"]]
        assert sorted(everywhere + guess["objective_deck"]) == sorted(OBJECTIVES)
        assert [len(one["objectives"]) for one in guess["seats"]] == [2, 1, 0, 0]


def test_d3_the_cards_a_seat_put_back_itself_are_known_at_the_bottom():
    game = Position.from_dict(turn_position())
    for move in ("activate:queen", "queen:objectives"):
        game.push(move)
    drawn = game.to_dict()["pending"]["drawn"]
    game.push(f"objective:{drawn[1]}")
    assert game.to_dict()["objective_deck"][-2:] == [drawn[0], drawn[2]]
    mine = [guess["objective_deck"] for guess in guesses(game, 0)]
    assert distinct(deck[-2:] for deck in mine) == 1
    assert distinct(deck[:-2] for deck in mine) > 1
    assert distinct(guess["objective_deck"][-2:] for guess in guesses(game, 2)) > 1


def test_d3_the_cards_put_back_stay_known_under_those_that_follow():
    game = Position.from_dict(turn_position(players=2))
    for _ in range(2):
        for move in ("activate:queen", "queen:objectives"):
            game.push(move)
        game.push(game.moves()[0])
    known = [deck["objective_deck"][-4:] for deck in (guesses(game, 0) + guesses(game, 1))]
    first, second = known[: len(MANY)], known[len(MANY) :]
    true = game.to_dict()["objective_deck"][-4:]
    assert {tuple(deck[:2]) for deck in first} == {tuple(true[:2])}
    assert {tuple(deck[2:]) for deck in second} == {tuple(true[2:])}
    assert distinct(deck[2:] for deck in first) > 1
    assert distinct(deck[:2] for deck in second) > 1


def test_d3_the_objectives_drawn_are_seen_by_the_seat_that_drew_them():
    game = Position.from_dict(turn_position())
    for move in ("activate:queen", "queen:objectives"):
        game.push(move)
    assert distinct(guess["pending"] for guess in guesses(game, 0)) == 1
    assert distinct(sorted(guess["pending"]["drawn"]) for guess in guesses(game, 1)) > 1


@pytest.mark.parametrize(("index", "known"), [(0, True), (1, False), (3, False)])
def test_d3_a_wager_is_secret_until_all_are_in(index, known):
    game = Position.from_dict(wager_position())
    game.push("wager:4")
    found = guesses(game, index)
    assert (distinct(guess["seats"][0]["wager"] for guess in found) == 1) is known
    for guess in found:
        assert guess["seats"][0]["wager"] in range(1, 6)
        assert each(guess, "wager")[1:] == [None] * 3


def test_d3_a_wager_revealed_is_public():
    game = Position.from_dict(wager_position(players=2))
    game.push("wager:4")
    game.push("wager:2")
    assert {tuple(each(guess, "wager")) for guess in guesses(game, 1)} == {(4, 2)}


@pytest.mark.parametrize(("index", "known"), [(0, True), (1, False), (2, False)])
def test_d3_a_rest_choice_is_secret_until_all_are_in(index, known):
    used = ["author", "falstaff", "queen"]
    seats = {0: ready_to_pass(used=used), 1: finished(used=used), 2: finished(used=used)}
    game = Position.from_dict(last_turn(players=3, seats=seats))
    for move in ("pass", "keep:queen"):
        game.push(move)
    found = guesses(game, index)
    assert (distinct(guess["seats"][0]["kept"] for guess in found) == 1) is known
    assert {guess["seats"][0]["kept"] for guess in found} <= set(used)


def test_d3_the_order_of_the_deck_is_unknown():
    d = last_turn(players=2, shown=["lear"])
    game = Position.from_dict(d, seed=5)
    rows = set()
    for seed in MANY:
        guess = game.determinize(0, seed)
        guess.push("pass")
        rows.add(tuple(guess.to_dict()["display"]["characters"]))
    assert len(rows) > 1


def test_d3_what_a_seat_sees_of_the_others_objectives_is_how_many():
    kept = {0: seat(objectives=["jewels", "wardrobe"]), 1: seat(objectives=["even_play"])}
    game = Position.from_dict(turn_position(seats=kept))
    for move in ("activate:queen", "queen:objectives"):
        game.push(move)
    mine, other = game.seen_by(0), game.seen_by(1)
    assert each(mine, "objectives") == [["jewels", "wardrobe"], ["?"], [], []]
    assert each(other, "objectives") == [["?", "?"], ["even_play"], [], []]
    assert mine["pending"] == game.to_dict()["pending"]
    assert other["pending"] == {"drawn": ["?"] * 3}
    assert mine["objective_deck"] == other["objective_deck"] == ["?"] * 4


def test_d3_what_a_seat_sees_of_the_others_wagers_is_who_has_chosen():
    game = Position.from_dict(wager_position(players=3))
    game.push("wager:4")
    assert each(game.seen_by(0), "wager") == [4, None, None]
    assert each(game.seen_by(1), "wager") == ["?", None, None]
    game.push("wager:2")
    game.push("wager:1")
    assert each(game.seen_by(1), "wager") == [4, 2, 1]


def test_d3_what_a_seat_sees_of_the_others_rest_is_who_has_chosen():
    used = ["falstaff", "queen"]
    seats = {0: ready_to_pass(used=used), 1: finished(used=used), 2: finished(used=used)}
    game = Position.from_dict(last_turn(players=3, seats=seats))
    for move in ("pass", "keep:queen"):
        game.push(move)
    assert each(game.seen_by(0), "kept") == ["queen", None, None]
    assert each(game.seen_by(1), "kept") == ["?", None, None]


@pytest.mark.parametrize(
    ("move", "strategic_rest", "secret"),
    [
        ("wager:3", False, True),
        ("objective:jewels", True, True),
        ("keep:queen", False, True),
        ("keep:queen", True, False),
        ("queen:objectives", False, False),
        ("extra:hamlet", False, False),
        ("pass", False, False),
    ],
)
def test_d3_moves_are_secret_where_what_they_choose_is(move, strategic_rest, secret):
    game = Position.from_dict(turn_position(strategic_rest=strategic_rest))
    assert game.game.is_secret(game.to_dict(), move) is secret
