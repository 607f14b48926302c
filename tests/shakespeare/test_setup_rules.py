"""Setup: rules S1 to S6."""

import itertools
from collections import Counter

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import ShakespeareEnvError
from tests.shakespeare.positions import ACTS, BOX, COLOURS, COPIES, OBJECTIVES, each, starting

SEAT_COUNTS = pytest.mark.parametrize("players", [1, 2, 3, 4])


def new(players=4, seed=0, drafted=0):
    """A new game as a dict, after the first `drafted` legal moves."""
    game = Position.new("shakespeare", players=players, seed=seed)
    for _ in range(drafted):
        game.push(game.moves()[0])
    return game.to_dict()


@SEAT_COUNTS
def test_s1_one_to_four_seats_play(players):
    d = new(players)
    assert d["players"] == players
    assert len(d["seats"]) == players


@pytest.mark.parametrize("players", [-1, 0, 5])
def test_s1_no_other_number_of_seats_plays(players):
    with pytest.raises((ShakespeareEnvError, ValueError)):
        Position.new("shakespeare", players=players, seed=0)


@SEAT_COUNTS
def test_s2_every_seat_begins_with_5_prestige_and_nothing_else(players):
    d = new(players)
    assert each(d, "prestige") == [5] * players
    for field, value in (("pounds", 0), ("tokens", 0), ("mood", 0), ("objectives", [])):
        assert each(d, field) == [value] * players, field
    assert each(d, "stage") == [{}] * players


@SEAT_COUNTS
def test_s2_every_seat_begins_with_the_four_characters_of_its_board(players):
    for one in new(players)["seats"]:
        assert [card["card"] for card in one["troupe"]] == [
            "author",
            "falstaff",
            "handyman_board",
            "queen",
        ]
        assert all(card["face"] == "character" and card["costume"] == [] for card in one["troupe"])
        assert not any(card["cylinder"] or card["rest"] for card in one["troupe"])


@SEAT_COUNTS
def test_s2_every_disc_begins_on_space_1_of_each_act(players):
    piles = new(players)["piles"]
    for act in ACTS:
        discs = [disc for disc in piles[act]["1"] if disc != "neutral"]
        assert sorted(discs) == list(range(players))


def test_s3_order_is_random():
    orders = {tuple(new(3, seed)["order"]) for seed in range(80)}
    assert orders == set(itertools.permutations(range(3)))


def test_s3_the_initiative_track_begins_in_the_same_order():
    for seed in range(8):
        d = new(4, seed)
        assert d["initiative"] == d["order"]


def test_s3_discs_on_space_1_are_piled_in_order_first_seat_at_the_bottom():
    for seed in range(8):
        d = new(4, seed)
        assert [d["piles"][act] for act in ACTS] == [{"1": d["order"]}] * 3


@SEAT_COUNTS
@pytest.mark.parametrize("kind", ["sets", "costumes"])
def test_s4_bags_and_display_hold_what_the_box_gives_for_this_many_seats(players, kind):
    d = new(players)
    together = Counter(d["bags"][kind]) + Counter(d["display"][kind])
    assert together == dict(zip(COLOURS, BOX[kind][max(players, 2)], strict=True))
    assert set(d["discarded"][kind].values()) == {0}


@SEAT_COUNTS
@pytest.mark.parametrize("kind", ["sets", "costumes"])
def test_s4_three_elements_for_each_seat_are_drawn(players, kind):
    for seed in range(4):
        assert sum(new(players, seed)["display"][kind].values()) == 3 * max(players, 2)


def test_s4_elements_are_drawn_at_random():
    drawn = {tuple(new(4, seed)["display"]["sets"].values()) for seed in range(8)}
    assert len(drawn) > 1


@SEAT_COUNTS
def test_s5_two_cards_more_than_seats_are_shown_from_a_deck_of_30(players):
    d = new(players)
    assert d["phase"] == "draft"
    assert len(d["display"]["characters"]) == max(players, 2) + 2
    assert Counter(d["deck"] + d["display"]["characters"]) == COPIES
    assert d["discarded_characters"] == []


@pytest.mark.parametrize("players", [2, 3, 4])
def test_s5_the_last_in_order_drafts_first_and_the_first_last(players):
    for seed in range(6):
        game = Position.new("shakespeare", players=players, seed=seed)
        order, asked = game.to_dict()["order"], []
        while game.to_dict()["phase"] == "draft":
            asked.append(game.to_move)
            game.push(game.moves()[0])
        assert asked == order[::-1]


def test_s5_a_drafted_card_joins_as_that_character_and_never_as_an_extra():
    game = Position.new("shakespeare", players=4, seed=3)
    first, shown = game.to_move, game.to_dict()["display"]["characters"]
    assert set(game.moves()) == {f"draft:{card}" for card in shown}
    game.push(f"draft:{shown[-1]}")
    after = game.to_dict()
    joined = after["seats"][first]["troupe"][4:]
    assert [(card["card"], card["face"]) for card in joined] == [(shown[-1], "character")]
    assert after["display"]["characters"] == shown[:-1]


@SEAT_COUNTS
def test_s5_after_the_draft_the_rest_is_discarded_and_a_new_row_shown(players):
    row = max(players, 2) + 2
    before, after = new(players), new(players, drafted=players)
    drafted = [one["troupe"][4]["card"] for one in after["seats"]]
    assert Counter(drafted + after["discarded_characters"]) == Counter(
        before["display"]["characters"]
    )
    assert len(after["display"]["characters"]) == row
    assert len(after["deck"]) == 30 - 2 * row
    assert Counter(after["deck"] + after["display"]["characters"]) == Counter(before["deck"])


@SEAT_COUNTS
def test_s5_a_draft_is_not_the_recruitment_of_the_day(players):
    after = new(players, drafted=players)
    assert each(after, "recruited") == [False] * players


def test_s6_eight_tokens_and_ten_objectives_are_laid_out():
    d = new(4)
    assert d["supply_tokens"] == 8
    assert sorted(d["objective_deck"]) == sorted(OBJECTIVES)


def test_s6_the_objectives_are_shuffled():
    assert len({tuple(new(2, seed)["objective_deck"]) for seed in range(8)}) > 1


def test_s6_the_same_seed_sets_up_the_same_game():
    assert new(4, 11) == new(4, 11)
    assert new(4, 11) != new(4, 12)


def test_s5_draft_moves_are_the_only_moves_of_the_draft():
    game = Position.new("shakespeare", players=2, seed=1)
    assert starting(game.moves(), "draft:") == set(game.moves())
