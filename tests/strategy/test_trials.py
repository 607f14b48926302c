"""Self-play of an agent, and trials of moves and gifts in positions of its games."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shakespeare_env.core import registry
from shakespeare_research.self_play import default_agents, self_play
from shakespeare_research.trials import (
    OTHER,
    NoPositionError,
    Sampling,
    find_positions,
    try_gift,
    try_moves,
)
from tests.generators import RecallingAgent

ALL = Sampling(10_000)


def wager_positions(most, games=2, agents=("random",), least=2, **options):
    options = {"players": 2, "games": games, "agents": agents, **options}
    return find_positions("shakespeare", ["wager"], Sampling(most, least=least), **options)


def record_bytes(positions):
    return {record.tobytes() for record in positions.games.save(slice(None))}


def test_self_play_has_a_row_for_every_seat():
    options: Any = {"players": 3, "seed": 4, "agents": ["random"], "end": ["seat0.present"]}
    table = self_play("figaro", games=4, **options)
    seats = [(deal, seat) for deal in range(4) for seat in range(3)]
    assert table.select("deal", "seat").rows() == seats
    assert table["seat0.present"].to_list() == [1] * 12
    assert self_play("figaro", games=2, **options).equals(table.head(6))


def test_the_lead_is_over_the_best_other_seat_and_victories_sum_to_one():
    table = self_play("figaro", players=3, games=4, seed=4, agents=["random"])
    for _, rows in table.group_by("deal"):
        assert rows["won"].sum() == 1.0
        scores = rows["score"].to_list()
        for seat, lead in enumerate(rows["lead"]):
            assert lead == scores[seat] - max(scores[:seat] + scores[seat + 1 :])


def test_a_seat_that_plays_alone_has_no_lead():
    alone = self_play("shakespeare", players=1, games=2, agents=["random"])
    assert alone["lead"].null_count() == 2
    assert alone["score"].null_count() == 0


def test_games_of_several_agents_are_played_apart_on_the_same_deals():
    options: Any = {"players": 3, "games": 2, "start": ["seat0.king"]}
    table = self_play("figaro", agents=["random", "greedy"], **options)
    parts = [self_play("figaro", agents=[name], **options) for name in ("random", "greedy")]
    assert table.equals(pl.concat(parts))
    assert parts[0]["seat0.king"].equals(parts[1]["seat0.king"])
    assert not parts[0]["score"].equals(parts[1]["score"])


def test_two_agents_are_studied_if_none_is_named():
    assert default_agents(registry.game("shakespeare")) == ["heuristic", "network"]
    played = self_play("figaro", players=3, games=1)
    assert played["agent"].unique(maintain_order=True).to_list() == ["heuristic", "network"]
    found = find_positions("figaro", ["take"], Sampling(1, least=1), players=3, games=2)
    assert found.frame["agent"].to_list() == ["heuristic", "network"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": "network"}, r"agents='network': give a list, such as \['network'\]"),
        ({"start": ["day"], "end": ["day"]}, "'day' can be noted only once"),
        ({"end": ["pounds"]}, "did you mean 'seat0.pounds'?"),
    ],
)
def test_self_play_refuses_what_it_cannot_note(arguments, message):
    options = {"agents": ["random"], **arguments}
    with pytest.raises(ValueError, match=message):
        self_play("shakespeare", players=2, games=1, **options)


def test_positions_are_sampled_from_all_decisions_of_the_games():
    every = wager_positions(1000, columns=["day"])
    assert every.frame["day"].value_counts(sort=True)["count"].to_list() == [4] * 6
    assert record_bytes(wager_positions(6, columns=["day"])) <= record_bytes(every)


def test_every_legal_wager_is_tried_once_in_each_position():
    table = try_moves(wager_positions(6, columns=["day"]))
    assert len(table) == 6 * 5
    for _, rows in table.group_by("position"):
        assert rows["move"].to_list() == [f"wager:{k}" for k in range(1, 6)]
        assert rows["chosen"].sum() == 1
        assert rows["day"].n_unique() == rows["deal"].n_unique() == rows["seat"].n_unique() == 1


def test_rare_moves_have_enough_positions_and_weights_correct_for_it():
    """The weighted mean number of recruits on offer is about that of all positions."""
    options: Any = {"blocks": ["recruit"], "players": 3, "games": 20, "agents": ["random"]}
    means = []
    for seed in range(6):
        every = find_positions("shakespeare", sampling=ALL, seed=seed, **options)
        sampling = Sampling(8, each_of=["recruit"])
        some = find_positions("shakespeare", sampling=sampling, seed=seed, **options)
        assert (some.games.mask[:, some.kinds].sum(axis=0) >= 8).all()
        offers = some.games.mask[:, some.kinds].sum(axis=1)
        all_offers = every.games.mask[:, every.kinds].sum(axis=1)
        weighted = np.average(offers, weights=some.frame["weight"].to_numpy())
        means.append((offers.mean(), weighted, all_offers.mean()))
    unweighted, weighted, true = np.mean(means, axis=0)
    assert abs(weighted - true) < (unweighted - true) / 2


def recruit_positions(sampling):
    options: Any = {"players": 3, "games": 30, "agents": ["random"], "columns": ["day"]}
    return find_positions("shakespeare", ["recruit"], sampling, seed=1, **options)


@pytest.mark.parametrize("each_of", [(), ("recruit",)])
def test_with_a_condition_as_many_positions_are_sampled_as_without(each_of):
    early = recruit_positions(Sampling(12, each_of=each_of, where=pl.col("day") <= 2))
    assert set(early.frame["day"]) == {1, 2}
    if each_of:
        assert (early.games.mask[:, early.kinds].sum(axis=0) >= 12).all()
    else:
        assert len(early.frame) == 12


@pytest.mark.parametrize("each_of", [(), ("recruit",)])
def test_a_condition_only_leaves_positions_out(each_of):
    sampling = replace(ALL, each_of=each_of)
    every = recruit_positions(sampling)
    early = recruit_positions(replace(sampling, where=pl.col("day") <= 2))
    expected = every.games.save(np.flatnonzero(every.frame["day"].to_numpy() <= 2))
    assert early.games.save(slice(None)).tobytes() == expected.tobytes()
    assert early.frame.columns == every.frame.columns
    always = recruit_positions(replace(sampling, where=pl.lit(True)))
    assert always.frame.equals(every.frame)


def test_an_expression_that_is_not_a_condition_or_never_holds_is_refused():
    with pytest.raises(ValueError, match=r'where=.*"deal".* gives Int64: give a condition'):
        recruit_positions(Sampling(12, where=pl.col("deal")))
    with pytest.raises(NoPositionError, match="no such decision came up in 30 games of random"):
        recruit_positions(Sampling(12, where=pl.col("day") > 9))


def test_a_take_is_tried_together_with_another_move():
    options: Any = {"players": 3, "games": 4}
    both = find_positions("figaro", ["take"], Sampling(5, least=1), **options)
    tried = try_moves(both, other=True)
    for _, rows in tried.group_by("position"):
        assert rows["move"].to_list() == ["take", OTHER]
    # Every agent plays its own positions on, as if it had been asked alone.
    for (agent,), rows in tried.group_by("agent"):
        own = find_positions("figaro", ["take"], Sampling(5, least=1), agents=[agent], **options)
        alone = try_moves(own, other=True)
        assert rows.drop("position").equals(alone.drop("position"))


def test_positions_say_whose_games_they_are_from_and_what_they_hold_for():
    said = str(wager_positions(3, agents=["random", "greedy"]))
    assert "3 positions of 2 games with random at every seat" in said
    assert "games with greedy at every seat" in said
    assert "shakespeare, 2 seats, the package's own box" in said


def counting(seen, masks, rng):
    """Choose by the number of the seat's decisions so far, which the agent remembers."""
    moves = []
    for place, mask in enumerate(masks):
        memory = rng.memory(place)
        memory["decisions"] = memory.get("decisions", 0) + 1
        legal = np.flatnonzero(mask)
        moves.append(legal[memory["decisions"] % len(legal)])
    return np.array(moves)


def test_the_game_ends_with_the_chosen_move_as_it_did_in_self_play():
    """Agents go on with their generators, with what they remember and with the decisions so far."""
    agents: Any = ["network", "random", counting, RecallingAgent()]
    played = self_play("shakespeare", players=2, games=2, seed=2, agents=agents)
    tried = try_moves(wager_positions(50, seed=2, agents=agents)).filter("chosen")
    columns = ["agent", "deal", "seat", "score", "lead", "won"]
    assert tried.height == 4 * 2 * 12
    assert {*tried.select(columns).rows()} == {*played.select(columns).rows()}


def test_games_with_and_without_a_gift_have_the_same_chance():
    table = try_gift(wager_positions(5), "prestige", 0)
    without_gift = table.gather_every(2)
    with_gift = table.gather_every(2, offset=1)
    assert without_gift.drop("gift").equals(with_gift.drop("gift"))


def test_a_gift_of_prestige_raises_the_score_by_itself():
    positions = wager_positions(3, agents=[lambda seen, masks, rng: masks.argmax(axis=1)])
    table = try_gift(positions, "prestige", 2)
    assert table["gift"].to_list() == [0, 2] * 3
    gained = table.group_by("position").agg(pl.col("score").last() - pl.col("score").first())
    assert gained["score"].to_list() == [2.0] * 3


def test_tokens_given_come_from_the_supply():
    positions = wager_positions(4)
    records = positions.games.save(slice(None))
    # In the first two games, the seat that is not to move takes all tokens of the supply.
    emptied = np.arange(len(records)) < 2
    others = 1 - records["to_move"][emptied]
    records["tokens"][emptied, others] += records["supply_tokens"][emptied]
    records["supply_tokens"][emptied] = 0
    positions.games.load(slice(None), records)
    table = try_gift(positions, "tokens", 1)
    assert table["gift"].to_list() == [0, 1] * 2
    assert table["position"].unique().sort().to_list() == positions.frame["position"].to_list()[2:]
    with pytest.raises(ValueError, match="of tokens from 0 to 8"):
        try_gift(positions, "tokens", 9)


@pytest.mark.parametrize(
    ("message", "trial"),
    [
        ("no position", lambda: try_moves(wager_positions(3), other=True)),
        ("'bet'", lambda: find_positions("shakespeare", ["bet"], Sampling(1), players=2, games=1)),
        ("1 games", lambda: wager_positions(1, games=1, least=6)),
    ],
)
def test_a_trial_without_positions_is_refused(message, trial):
    with pytest.raises(ValueError, match=message):
        trial()
