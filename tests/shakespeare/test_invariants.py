"""What is never lost and never made: components and their places, at every position of a game."""

from collections import Counter
from itertools import pairwise

import pytest

from tests.contract.random_games import TABLES, game_from
from tests.shakespeare.positions import ACTS, BOARD, BOX, COLOURS, COPIES, OBJECTIVES

GAMES = [(table, seed) for table in TABLES if table.game == "shakespeare" for seed in range(2)]


@pytest.fixture(scope="module", params=GAMES, ids=lambda game: f"{game[0]}-{game[1]}")
def texts(request):
    """Every position of a game in text."""
    table, seed = request.param
    return [position.to_dict() for position in game_from(table.position(seed), salt=seed)]


def test_s4_elements_are_in_bag_on_display_placed_or_discarded(texts):
    for d in texts:
        for kind in ("costumes", "sets"):
            found = Counter(d["bags"][kind])
            found.update(d["display"][kind])
            found.update(d["discarded"][kind])
            for seat in d["seats"]:
                if kind == "sets":
                    found.update(seat["stage"].values())
                else:
                    found.update(colour for card in seat["troupe"] for colour in card["costume"])
            assert tuple(found[colour] for colour in COLOURS) == BOX[kind][max(d["players"], 2)]


def test_s5_character_cards_are_shown_in_the_deck_discarded_or_hired(texts):
    for d in texts:
        found = Counter(d["deck"] + d["discarded_characters"] + d["display"]["characters"])
        for seat in d["seats"]:
            hired = [card["card"] for card in seat["troupe"]]
            assert tuple(hired[:4]) == BOARD
            found.update(hired[4:])
        assert found == COPIES


def test_s6_objectives_and_tokens_are_never_lost(texts):
    for d in texts:
        found = d["objective_deck"] + [o for seat in d["seats"] for o in seat["objectives"]]
        found += (d["pending"] or {}).get("drawn", [])
        assert sorted(found) == sorted(OBJECTIVES)
        assert d["supply_tokens"] >= 0
        assert d["supply_tokens"] + sum(seat["tokens"] for seat in d["seats"]) == 8


def test_t7_every_disc_lies_once_on_every_act(texts):
    players = texts[0]["players"]
    discs = sorted(map(str, [*range(players)] + ["neutral"] * (players == 1)))
    for d in texts:
        for act, length in zip(ACTS, (9, 10, 10), strict=True):
            piles = d["piles"][act]
            assert all(piles.values())
            assert sorted(str(disc) for pile in piles.values() for disc in pile) == discs
            assert all(1 <= int(space) <= length for space in piles)


def test_t15_mood_pounds_and_cylinders_stay_in_their_ranges(texts):
    for d in texts:
        for seat in d["seats"]:
            assert -2 <= seat["mood"] <= 3
            assert seat["pounds"] >= 0
            assert seat["tokens"] >= 0
            used = sum(card["cylinder"] for card in seat["troupe"])
            assert 0 <= seat["cylinders"] + used <= 5
            assert len(seat["troupe"]) <= 11


def test_u3_days_pass_one_by_one_to_the_sixth(texts):
    days = [d["day"] for d in texts]
    assert days[0] == 1
    assert days[-1] == 6
    assert all(0 <= after - before <= 1 for before, after in pairwise(days))


def test_d2_secrets_are_pending_only_while_they_are_collected(texts):
    for d in texts:
        chosen = [seat["kept"] is not None for seat in d["seats"]]
        assert not any(chosen) or (d["phase"] == "rest" and not d["strategic_rest"])
        if d["players"] == 1:
            assert d["phase"] != "wager"
            assert d["seats"][0]["wager"] is None
        elif d["phase"] != "wager":
            wagered = [seat["wager"] is not None for seat in d["seats"]]
            assert all(wagered) == any(wagered) == (d["phase"] != "draft")
