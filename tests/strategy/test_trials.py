"""Games of an agent with itself, and moves and gifts tried in their positions."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from shakespeare_research.trials import (
    OTHER,
    NoPositionError,
    find_positions,
    self_play,
    try_gift,
    try_moves,
)


def wagers(most, games=2, player="random", **options):
    options = {"players": 2, "games": games, "player": player, **options}
    return find_positions("shakespeare", ["wager"], most=most, **options)


def test_every_seat_of_self_play_has_a_row():
    play: Any = {"players": 3, "seed": 4, "player": "random", "end": {"present": "seat0.present"}}
    found = self_play("figaro", games=4, **play)
    assert found.select("deal", "seat").rows() == [(d, s) for d in range(4) for s in range(3)]
    assert found["present"].to_list() == [1] * 12
    for _, rows in found.group_by("deal"):
        assert rows["won"].sum() == 1.0
        scores = rows["score"].to_list()
        for seat, lead in enumerate(rows["lead"]):
            assert lead == scores[seat] - max(scores[:seat] + scores[seat + 1 :])
    assert self_play("figaro", games=2, **play).equals(found.head(6))
    alone = self_play("shakespeare", players=1, games=2, player="random")
    assert (alone["lead"].null_count(), alone["score"].null_count()) == (2, 0)


def test_every_legal_wager_is_tried_once_in_positions_drawn_from_all():
    every = wagers(1000, facts={"day": "day"})
    assert every.frame["day"].value_counts(sort=True)["count"].to_list() == [4] * 6
    some = wagers(6, facts={"day": "day"})
    kept, of = ({one.tobytes() for one in p.games.save(slice(None))} for p in (some, every))
    assert kept <= of
    found = try_moves(some)
    assert len(found) == 6 * 5
    for _, rows in found.group_by("position"):
        assert rows["move"].to_list() == [f"wager:{k}" for k in range(1, 6)]
        assert rows["chosen"].sum() == 1
        assert rows["day"].n_unique() == rows["deal"].n_unique() == rows["seat"].n_unique() == 1


def test_rare_moves_have_positions_enough_and_weights_make_up_for_them():
    """The weighted mean number of offers is that of all positions."""
    options: Any = {"blocks": ["recruit"], "players": 3, "games": 20, "player": "random"}
    found = []
    for options["seed"] in range(6):
        every = find_positions("shakespeare", most=10_000, **options)
        some = find_positions("shakespeare", most=8, each_of=["recruit"], **options)
        assert (some.games.mask[:, some.kinds].sum(axis=0) >= 8).all()
        offers, of_all = (one.games.mask[:, one.kinds].sum(axis=1) for one in (some, every))
        weighted = np.average(offers, weights=some.frame["weight"].to_numpy())
        found.append((offers.mean(), weighted, of_all.mean()))
    sampled, weighted, true = np.mean(found, axis=0)
    assert abs(weighted - true) < (sampled - true) / 2


@pytest.mark.parametrize("each_of", [(), ["recruit"]])
def test_as_many_positions_are_sampled_where_something_holds(each_of):
    """Those wanted are chosen before: as many as without, and those with the lowest lots."""
    options: Any = {"blocks": ["recruit"], "players": 3, "games": 30, "player": "random"}
    options |= {"each_of": each_of, "facts": {"day": "day"}, "seed": 1}
    early = find_positions("shakespeare", most=12, where=pl.col("day") <= 2, **options)
    assert set(early.frame["day"]) == {1, 2}
    if each_of:
        assert (early.games.mask[:, early.kinds].sum(axis=0) >= 12).all()
    else:
        assert len(early.frame) == 12
    # Of all positions each has its lot, whatever is wanted.
    every = find_positions("shakespeare", most=10_000, **options)
    wanted = every.games.save(np.flatnonzero(every.frame["day"].to_numpy() <= 2))
    of_all = find_positions("shakespeare", most=10_000, where=pl.col("day") <= 2, **options)
    assert of_all.games.save(slice(None)).tobytes() == wanted.tobytes()
    assert every.frame.columns == early.frame.columns
    literal = find_positions("shakespeare", most=10_000, where=pl.lit(True), **options)
    assert literal.frame.equals(every.frame)
    with pytest.raises(ValueError, match=r'where=.*"deal".* gives Int64: give a condition'):
        find_positions("shakespeare", most=12, where=pl.col("deal"), **options)
    with pytest.raises(NoPositionError, match="no such decision came up in 30 games"):
        find_positions("shakespeare", most=12, where=pl.col("day") > 9, **options)


def test_a_take_is_tried_beside_another_move():
    options: Any = {"players": 3, "games": 4, "most": 5, "least": 1, "player": "heuristic"}
    positions = find_positions("figaro", ["take"], **options)
    for _, rows in try_moves(positions, other=True).group_by("position"):
        assert rows["move"].to_list() == ["take", OTHER]


@pytest.mark.parametrize("player", ["network", "random"])
def test_the_move_that_is_chosen_ends_as_the_game_did(player):
    played = self_play("shakespeare", players=2, games=2, seed=2, player=player)
    tried = try_moves(wagers(50, seed=2, player=player)).filter("chosen")
    columns = ["deal", "seat", "score", "lead", "won"]
    assert tried.height == 2 * 12
    assert {*tried.select(columns).rows()} == {*played.select(columns).rows()}


def test_a_gift_is_worth_what_it_is_and_changes_no_chance():
    nothing = try_gift(wagers(5), "prestige", 0)
    first, second = nothing.gather_every(2), nothing.gather_every(2, offset=1)
    assert first.drop("gift").equals(second.drop("gift"))
    positions = wagers(3, player=lambda seen, masks, rng: masks.argmax(axis=1))
    found = try_gift(positions, "prestige", 2)
    assert found["gift"].to_list() == [0, 2] * 3
    gained = found.group_by("position").agg(pl.col("score").last() - pl.col("score").first())
    assert gained["score"].to_list() == [2.0] * 3


def test_tokens_given_come_from_the_supply():
    positions = wagers(4)
    records = positions.games.save(slice(None))
    taken = np.arange(len(records)) < 2  # by the seat that is not to move
    records["tokens"][taken, 1 - records["to_move"][taken]] += records["supply_tokens"][taken]
    records["supply_tokens"][taken] = 0
    positions.games.load(slice(None), records)
    found = try_gift(positions, "tokens", 1)
    assert found["gift"].to_list() == [0, 1] * 2
    assert found["position"].unique().sort().to_list() == positions.frame["position"].to_list()[2:]
    with pytest.raises(ValueError, match="of tokens from 0 to 8"):
        try_gift(positions, "tokens", 9)


def test_what_cannot_be_tried_is_refused():
    for named, tried in (
        ("no position", lambda: try_moves(wagers(3), other=True)),
        ("'bet'", lambda: find_positions("shakespeare", ["bet"], players=2, games=1, most=1)),
        ("1 games", lambda: wagers(1, games=1, least=6)),
    ):
        with pytest.raises(ValueError, match=named):
            tried()
