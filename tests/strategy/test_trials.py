"""Games of an agent with itself, and moves and gifts tried in their positions."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shakespeare_env.core import registry
from shakespeare_research.trials import (
    OTHER,
    NoPositionError,
    Sampling,
    field_values,
    find_positions,
    self_play,
    try_gift,
    try_moves,
)

ALL = Sampling(10_000)


def wagers(most, games=2, player="random", least=2, **options):
    options = {"players": 2, "games": games, "player": player, **options}
    return find_positions("shakespeare", ["wager"], Sampling(most, least=least), **options)


def record_bytes(positions):
    return {record.tobytes() for record in positions.games.save(slice(None))}


def test_every_seat_of_self_play_has_a_row():
    play: Any = {"players": 3, "seed": 4, "player": "random", "end": {"present": "seat0.present"}}
    found = self_play("figaro", games=4, **play)
    assert found.select("deal", "seat").rows() == [(d, s) for d in range(4) for s in range(3)]
    assert found["present"].to_list() == [1] * 12
    assert self_play("figaro", games=2, **play).equals(found.head(6))


def test_the_lead_is_over_the_best_other_seat_and_victories_sum_to_one():
    found = self_play("figaro", players=3, games=4, seed=4, player="random")
    for _, rows in found.group_by("deal"):
        assert rows["won"].sum() == 1.0
        scores = rows["score"].to_list()
        for seat, lead in enumerate(rows["lead"]):
            assert lead == scores[seat] - max(scores[:seat] + scores[seat + 1 :])


def test_nobody_leads_alone():
    alone = self_play("shakespeare", players=1, games=2, player="random")
    assert alone["lead"].null_count() == 2
    assert alone["score"].null_count() == 0


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("seat0.metrics", ValueError, "'seat0.metrics' has .* numbers; name one of them: "),
        ("seat0.metrics.stage", KeyError, "'seat0.metrics' has no number 'stage'; its numbers: "),
        ("seat0.money", KeyError, "seat0"),
    ],
)
def test_a_name_of_no_single_number_is_refused(name, error, words):
    layout = registry.game("shakespeare").layout
    with pytest.raises(error, match=words):
        field_values(layout, name, np.zeros((1, layout.size), np.int8))


def test_positions_are_drawn_from_all_that_came_up():
    every = wagers(1000, facts={"day": "day"})
    assert every.frame["day"].value_counts(sort=True)["count"].to_list() == [4] * 6
    assert record_bytes(wagers(6, facts={"day": "day"})) <= record_bytes(every)


def test_every_legal_wager_is_tried_once_in_each_position():
    found = try_moves(wagers(6, facts={"day": "day"}))
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
        every = find_positions("shakespeare", sampling=ALL, **options)
        some = find_positions("shakespeare", sampling=Sampling(8, each_of=["recruit"]), **options)
        assert (some.games.mask[:, some.kinds].sum(axis=0) >= 8).all()
        offers = some.games.mask[:, some.kinds].sum(axis=1)
        all_offers = every.games.mask[:, every.kinds].sum(axis=1)
        weighted = np.average(offers, weights=some.frame["weight"].to_numpy())
        found.append((offers.mean(), weighted, all_offers.mean()))
    sampled, weighted, true = np.mean(found, axis=0)
    assert abs(weighted - true) < (sampled - true) / 2


def recruits(sampling):
    options: Any = {"players": 3, "games": 30, "player": "random", "facts": {"day": "day"}}
    return find_positions("shakespeare", ["recruit"], sampling, seed=1, **options)


@pytest.mark.parametrize("each_of", [(), ("recruit",)])
def test_a_condition_leaves_as_many_positions_as_without_it(each_of):
    early = recruits(Sampling(12, each_of=each_of, where=pl.col("day") <= 2))
    assert set(early.frame["day"]) == {1, 2}
    if each_of:
        assert (early.games.mask[:, early.kinds].sum(axis=0) >= 12).all()
    else:
        assert len(early.frame) == 12


@pytest.mark.parametrize("each_of", [(), ("recruit",)])
def test_a_condition_only_leaves_positions_out(each_of):
    sampling = replace(ALL, each_of=each_of)
    every = recruits(sampling)
    early = recruits(replace(sampling, where=pl.col("day") <= 2))
    wanted = every.games.save(np.flatnonzero(every.frame["day"].to_numpy() <= 2))
    assert early.games.save(slice(None)).tobytes() == wanted.tobytes()
    assert early.frame.columns == every.frame.columns
    always = recruits(replace(sampling, where=pl.lit(True)))
    assert always.frame.equals(every.frame)


def test_a_condition_that_is_none_or_never_holds_is_refused():
    with pytest.raises(ValueError, match=r'where=.*"deal".* gives Int64: give a condition'):
        recruits(Sampling(12, where=pl.col("deal")))
    with pytest.raises(NoPositionError, match="no such decision came up in 30 games"):
        recruits(Sampling(12, where=pl.col("day") > 9))


def test_a_take_is_tried_beside_another_move():
    options: Any = {"players": 3, "games": 4, "player": "heuristic"}
    positions = find_positions("figaro", ["take"], Sampling(5, least=1), **options)
    for _, rows in try_moves(positions, other=True).group_by("position"):
        assert rows["move"].to_list() == ["take", OTHER]


@pytest.mark.parametrize("player", ["network", "random"])
def test_the_move_that_is_chosen_ends_as_the_game_did(player):
    played = self_play("shakespeare", players=2, games=2, seed=2, player=player)
    tried = try_moves(wagers(50, seed=2, player=player)).filter("chosen")
    columns = ["deal", "seat", "score", "lead", "won"]
    assert tried.height == 2 * 12
    assert {*tried.select(columns).rows()} == {*played.select(columns).rows()}


def test_a_gift_of_nothing_changes_no_chance():
    nothing = try_gift(wagers(5), "prestige", 0)
    first = nothing.gather_every(2)
    second = nothing.gather_every(2, offset=1)
    assert first.drop("gift").equals(second.drop("gift"))


def test_a_gift_of_prestige_is_worth_itself():
    positions = wagers(3, player=lambda seen, masks, rng: masks.argmax(axis=1))
    found = try_gift(positions, "prestige", 2)
    assert found["gift"].to_list() == [0, 2] * 3
    gained = found.group_by("position").agg(pl.col("score").last() - pl.col("score").first())
    assert gained["score"].to_list() == [2.0] * 3


def test_tokens_given_come_from_the_supply():
    positions = wagers(4)
    records = positions.games.save(slice(None))
    emptied = np.arange(len(records)) < 2  # the seat that is not to move takes their supply
    records["tokens"][emptied, 1 - records["to_move"][emptied]] += records["supply_tokens"][emptied]
    records["supply_tokens"][emptied] = 0
    positions.games.load(slice(None), records)
    found = try_gift(positions, "tokens", 1)
    assert found["gift"].to_list() == [0, 1] * 2
    assert found["position"].unique().sort().to_list() == positions.frame["position"].to_list()[2:]
    with pytest.raises(ValueError, match="of tokens from 0 to 8"):
        try_gift(positions, "tokens", 9)


@pytest.mark.parametrize(
    ("words", "trial"),
    [
        ("no position", lambda: try_moves(wagers(3), other=True)),
        ("'bet'", lambda: find_positions("shakespeare", ["bet"], Sampling(1), players=2, games=1)),
        ("1 games", lambda: wagers(1, games=1, least=6)),
    ],
)
def test_what_cannot_be_tried_is_refused(words, trial):
    with pytest.raises(ValueError, match=words):
        trial()
