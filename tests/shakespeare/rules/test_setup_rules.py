"""Setup: rules S1 to S6."""

import itertools
from collections import Counter

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import ShakespeareEnvError
from tests.shakespeare.positions import ACTS, BOX, COLOURS, COPIES, OBJECTIVES, each, seat

SEAT_COUNTS = pytest.mark.parametrize("players", [1, 2, 3, 4])


def new(players=4, seed=0, drafted=0):
    """Return a new game in the notation, after the first `drafted` legal moves."""
    game = Position.new("shakespeare", players=players, seed=seed)
    for _ in range(drafted):
        game.push(game.moves()[0])
    return game.to_dict()


def test_s1_one_to_four_seats_play():
    assert [new(players)["players"] for players in (1, 2, 3, 4)] == [1, 2, 3, 4]
    for players in (0, 5):
        with pytest.raises((ShakespeareEnvError, ValueError)):
            Position.new("shakespeare", players=players, seed=0)


@SEAT_COUNTS
def test_s2_every_seat_begins_with_5_prestige_four_characters_and_discs_on_space_1(players):
    d = new(players)
    assert d["seats"] == [seat(cylinders=0)] * players
    for act in ACTS:
        assert sorted(d["piles"][act]["1"]) == list(range(players))


def test_s3_order_is_random():
    orders = {tuple(new(3, seed)["order"]) for seed in range(80)}
    assert orders == set(itertools.permutations(range(3)))


def test_s3_the_initiative_track_begins_in_the_same_order():
    for seed in range(8):
        assert new(4, seed)["initiative"] == new(4, seed)["order"]


def test_s3_discs_on_space_1_are_piled_in_order_first_seat_at_the_bottom():
    for seed in range(8):
        d = new(4, seed)
        assert d["piles"] == {act: {"1": d["order"]} for act in ACTS}


@SEAT_COUNTS
@pytest.mark.parametrize("kind", ["sets", "costumes"])
def test_s4_three_elements_for_each_seat_are_drawn_at_random_from_full_bags(players, kind):
    games = [new(players, seed) for seed in range(8)]
    assert {sum(d["display"][kind].values()) for d in games} == {3 * max(players, 2)}
    assert len({tuple(d["display"][kind].values()) for d in games}) > 1
    for d in games:
        together = Counter(d["bags"][kind]) + Counter(d["display"][kind])
        assert together == dict(zip(COLOURS, BOX[kind][max(players, 2)], strict=True))
        assert set(d["discarded"][kind].values()) == {0}


@SEAT_COUNTS
def test_s5_two_cards_more_than_seats_are_shown_from_a_deck_of_30(players):
    d = new(players)
    assert d["phase"] == "draft"
    assert len(d["display"]["characters"]) == max(players, 2) + 2
    assert Counter(d["deck"] + d["display"]["characters"]) == COPIES


def test_s5_the_last_in_order_drafts_first_and_the_first_last():
    for seed in range(6):
        game = Position.new("shakespeare", players=4, seed=seed)
        order = game.to_dict()["order"]
        drafters = []
        while game.phase == "draft":
            drafters.append(game.to_move)
            game.push(game.moves()[0])
        assert drafters == order[::-1]


def test_s5_a_drafted_card_joins_as_that_character_and_never_as_an_extra():
    game = Position.new("shakespeare", players=4, seed=3)
    first = game.to_move
    shown = game.to_dict()["display"]["characters"]
    assert set(game.moves()) == {f"draft:{card}" for card in shown}
    game.push(f"draft:{shown[-1]}")
    after = game.to_dict()
    assert after["seats"][first] == seat([shown[-1]], cylinders=0)
    assert after["display"]["characters"] == shown[:-1]


@SEAT_COUNTS
def test_s5_after_the_draft_the_rest_is_discarded_and_a_new_row_shown(players):
    row = max(players, 2) + 2
    before = new(players)
    after = new(players, drafted=players)
    drafted = [entry["troupe"][4]["card"] for entry in after["seats"]]
    shown = before["display"]["characters"]
    assert sorted(drafted + after["discarded_characters"]) == sorted(shown)
    assert len(after["display"]["characters"]) == row
    assert Counter(after["deck"] + after["display"]["characters"]) == Counter(before["deck"])
    assert not any(each(after, "recruited"))


def test_s6_eight_tokens_and_ten_objectives_shuffled_are_laid_out():
    games = [new(2, seed) for seed in range(8)]
    assert {d["supply_tokens"] for d in games} == {8}
    assert all(sorted(d["objective_deck"]) == sorted(OBJECTIVES) for d in games)
    assert len({tuple(d["objective_deck"]) for d in games}) > 1
    assert new(2, 7) == games[7]
