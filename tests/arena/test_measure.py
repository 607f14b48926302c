"""The scale of playouts: agents of known strength are placed where they belong."""

import itertools
import json
import math
import time
from typing import Any

import numpy as np
import pytest

from shakespeare_agents.making import make
from shakespeare_arena import Entrant
from shakespeare_arena.measure import (
    Budget,
    ScaleGames,
    StrengthResult,
    measure,
    placement_of,
    reference,
)
from shakespeare_arena.scale import (
    RUNGS,
    RungResult,
    climb,
    fit_place,
    place_of,
    playouts_at,
    relative_cost,
)
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_games
from tests.contract.command_line import output_of


class Planted:
    """Simulated games of an agent whose odds against every rung are known, with a simulated clock.

    The odds are logistic in `curve` of a place. `noise` is the standard deviation, in logits, of
    how well a deal suits the agent. The first deal at a rung takes `compiling` seconds longer, and
    every visit takes `waiting` seconds longer, however many deals it has. Every deal takes
    `thinking` seconds longer.
    """

    def __init__(
        self,
        place,
        slope,
        players,
        seed,
        noise=0.0,
        compiling=0.0,
        waiting=0.0,
        thinking=0.0,
        curve=float,
    ):
        self.place = place
        self.slope = slope
        self.players = players
        self.noise = noise
        self.compiling = compiling
        self.waiting = waiting
        self.thinking = thinking
        self.curve = curve
        self.rng = np.random.default_rng(seed)
        self.now = 0.0
        self.order = []  # the rungs met, deal by deal

    def climb(self, deals, seconds=math.inf):
        met: dict[float, RungResult] = {}
        climb(met, self.players, self.against, deals, seconds, lambda: self.now)
        return placement_of(met, self.players)

    def against(self, playouts):
        return PlantedRung(self, playouts)


class PlantedRung:
    """The games of a `Planted` agent against a rung."""

    def __init__(self, agent, playouts):
        self.agent = agent
        self.playouts = playouts
        ahead = agent.curve(agent.place) - agent.curve(place_of(playouts))
        self.logit = agent.slope * ahead - math.log(agent.players - 1)
        self.shares: list[float] = []

    def play(self, deals):
        agent = self.agent
        agent.order += [self.playouts] * deals
        cost = relative_cost(self.playouts, agent.players)
        agent.now += agent.waiting + agent.thinking * deals
        agent.now += 0.00125 * deals * agent.players * cost
        if not self.shares:
            agent.now += agent.compiling
        noise = agent.noise * agent.rng.standard_normal(deals)
        chances = 1 / (1 + np.exp(-self.logit - noise))
        self.shares.extend(agent.rng.binomial(agent.players, chances) / agent.players)
        return deals

    def result(self):
        count = len(self.shares)
        variance = float(np.var(self.shares, ddof=1)) if count > 1 else 0.0
        players = self.agent.players
        wins = float(sum(self.shares) * players)
        return RungResult(self.playouts, count, count * players, wins, variance)


def covered(found, true):
    """Return whether an interval holds a place. Its ends may lie beyond the scale."""
    low = math.inf if found.low is None else found.low
    high = math.inf if found.high is None else found.high
    return low <= true <= high


def test_intervals_hold_the_true_place():
    """Intervals are 95 %; 90 % or more must hold in this sample."""
    held = []
    for place, slope, seed in itertools.product(
        (-13.0, -1.2, 0.5, 3.0, 5.2, 7.0), (0.15, 0.4), range(4)
    ):
        placement = Planted(place, slope, 4, [seed, int(10 * place) + 200], noise=0.3).climb(150)
        assert placement.games == 4 * 150
        held.append(covered(placement, playouts_at(place)))
    assert np.mean(held) >= 0.9


def eight_times_as_steep_at_the_top(place):
    """Curve shares as at two seats of Shakespeare; above, each doubling is worth less."""
    if place >= 0:
        return 2 * math.sqrt(place)
    share = 1 + place / 20
    return 20 * (share + 3.5 * share**2) / 4.5 - 20


def test_intervals_hold_and_are_narrow_on_a_steep_curve():
    """Rungs between those of `RUNGS` make this possible."""
    placements = []
    curve = eight_times_as_steep_at_the_top
    for true, seed in itertools.product((0.12, 0.38, 0.63, 0.9, 10, 40), range(2)):
        planted = Planted(place_of(true), 0.3, 2, [seed, int(100 * true)], noise=0.3, curve=curve)
        placements.append((true, planted.climb(1500)))
    assert sum(covered(placement, true) for true, placement in placements) >= 11
    widths = [placement.high - placement.low for true, placement in placements if true < 1]
    assert np.median(widths) < 0.07


def test_no_rung_is_between_the_network_and_the_weakest_search():
    """With two or three playouts search would play like the network."""
    planted = Planted(1.0, 0.8, 2, 0)
    placement = planted.climb(1500)
    assert 1 < placement.low < 2 < placement.high < 4
    assert not {2, 3} & set(planted.order)


@pytest.mark.parametrize(("place", "said"), [(-40.0, "0 or less"), (17.0, "above 1,024")])
def test_an_agent_beyond_the_scale_is_placed_there_in_few_games(place, said):
    planted = Planted(place, 0.8, 4, 1)
    placement = planted.climb(10_000)
    assert str(placement) == said
    assert placement.games < 4 * 600
    assert planted.order.count(0 if place < 0 else 1024) >= 100


def test_no_rung_is_met_that_would_take_longer_than_the_time_left():
    planted = Planted(9.0, 0.4, 2, 0)
    planted.climb(10_000, 20.0)
    assert planted.now < 25
    assert max(planted.order) == 256


def test_a_first_search_is_met_only_if_there_is_time_for_it():
    """A game against the weakest search takes a hundred times as long as one without search."""
    planted = Planted(9.0, 0.4, 4, 0)
    planted.climb(10_000, 0.4)
    assert set(planted.order) == {1}
    assert 0.39 < planted.now < 0.41, "the rest of the time goes to games without search"
    planted.climb(10_000, 4.0)
    assert {1, 4} <= set(planted.order)


def test_compiling_does_not_count_as_time_of_a_deal():
    planted = Planted(5.0, 0.4, 2, 0, compiling=10.0)
    planted.climb(10_000, 100.0)
    assert {1, 4, 16} <= set(planted.order)
    assert planted.now > 80


def test_an_agent_that_waits_plays_many_deals_at_once_and_meets_search():
    """Its deals take as long side by side as one alone: one after another, 12 and 30 of them."""
    softened = Planted(-7.0, 0.4, 4, 0, waiting=8.0)
    placement = softened.climb(10_000, 100.0)
    assert softened.now < 110
    assert placement.games > 4 * 300
    assert covered(placement, playouts_at(-7.0))

    searching = Planted(3.0, 0.4, 4, 0, waiting=20.0)
    placement = searching.climb(10_000, 600.0)
    assert searching.now < 650
    assert placement.games > 4 * 60
    assert {1, 4, 16} <= set(searching.order)
    assert covered(placement, 8)


def test_an_agent_that_thinks_about_one_game_after_another_plays_few_deals_at_once():
    planted = Planted(3.0, 0.4, 4, 0, thinking=5.0)
    planted.climb(10_000, 300.0)
    assert 200 < planted.now < 310
    visits = [len(list(deals)) for _, deals in itertools.groupby(planted.order)]
    assert {4, 16} <= set(planted.order)
    assert max(visits) <= 12


def test_equal_wins_place_an_agent_at_the_rung_itself():
    place, low, high = fit_place([RungResult(64, 50, 150, 50.0, 0.05)], 3)
    assert low < place == 6 < high


def test_the_network_is_placed_at_one_playout():
    rung = measure(reference(1), "figaro", players=[3], budget=Budget(games=12))
    assert covered(rung[3], 1)
    assert rung[3].rungs[0].win_rate == pytest.approx(1 / 3)  # it draws nothing


def test_a_placement_by_decisions_plays_the_same_games_on_every_machine(monkeypatch):
    """A clock on which each look at it takes a minute changes nothing."""
    heuristic = Entrant("heuristic", make("heuristic", registry.game("figaro")))

    def place(decisions):
        return ScaleGames(heuristic, "figaro", 3, seed=5).place(decisions)

    fast = place(15_000)
    minutes = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: 60.0 * next(minutes))
    assert place(15_000) == fast
    decisions = 140 * fast.games  # a game has about 140
    assert 10_000 < decisions < 18_000
    assert 0 < place(1).games < place(2000).games < fast.games


def test_an_interruption_keeps_the_deals_that_are_complete():
    def stop(decisions, games):
        if games > 40:
            raise KeyboardInterrupt

    heuristic = Entrant("heuristic", make("heuristic", registry.game("figaro")))
    budget = Budget(games=600)
    whole = measure(heuristic, "figaro", players=[3], budget=budget)[3]
    found = measure(heuristic, "figaro", players=[3], budget=budget, on_progress=stop)[3]
    assert 36 <= found.games < whole.games


def test_kept_games_are_not_played_again_after_an_interruption(tmp_path):
    def stop(decisions, games):
        if games > 6:
            raise KeyboardInterrupt

    def decisions_made(**options):
        """Measure, and return the number of decisions."""
        made = []
        found.append(
            measure("heuristic", on_progress=lambda *so_far: made.append(so_far), **options)
        )
        return made[-1][0]

    found: list[StrengthResult] = []
    table: dict[str, Any] = {"game": "figaro", "players": [3], "budget": Budget(games=24)}
    kept = {**table, "results": tmp_path}
    measure("heuristic", on_progress=stop, **kept)
    before = read_games(tmp_path).collect().height
    resumed = decisions_made(**kept)
    assert read_games(tmp_path).collect().height == found[0][3].games > before > 0
    assert decisions_made(**kept) == 0
    assert decisions_made(**table) > resumed
    assert found[0] == found[1] == found[2]


def test_games_of_an_agent_that_plays_exactly_like_a_rung_are_kept(tmp_path):
    budget = Budget(games=3)
    found = measure("network,version=1", "figaro", players=[3], budget=budget, results=tmp_path)
    assert found[3].rungs[0].win_rate == pytest.approx(1 / 3)


def test_the_command_prints_and_writes_the_placement(tmp_path):
    file = tmp_path / "found.json"
    command = ["measure", "random", "--game", "figaro", "--players", "3", "--games", "20"]
    out = output_of(*command, "--out", str(file))
    assert "random in figaro, seed 0" in out
    assert "network 1 alone; below, the share of its moves" in out
    data = json.loads(file.read_text())
    placed = data["tables"][0]
    assert (data["agent"], placed["low"]) == ("random", 0.0)
    assert placed["low"] <= placed["playouts"] < placed["high"] < 0.7
    for playouts in {*RUNGS, *(met["playouts"] for met in placed["rungs"])}:
        assert data["scale"][str(playouts)] == reference(playouts)
    assert len(data["scale_digest"]) == 16
