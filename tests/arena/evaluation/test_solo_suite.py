"""A solo suite compares an agent with a reference on the same deals, whatever it draws."""

import json
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks import solo_suite as making
from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant
from shakespeare_agents.arena import solo_suite as suites
from shakespeare_agents.arena.solo_suite import (
    SoloSuite,
    bundled_suite,
    deals_digest,
    play_suite,
    suite_file,
    suite_scores,
)
from shakespeare_env import Position
from shakespeare_env.core import registry
from tests.contract.command_line import printed, refused

GAME = "shakespeare"


def suite_of(agent, seeds=(1,)):
    """A suite of three deals whose reference is an agent."""
    bare = SoloSuite(
        game=GAME,
        seed=5,
        scores=((),) * 3,
        agent="reference",
        agent_digest="",
        agent_seeds=seeds,
        playouts=0,
        box_digest=registry.box_digest(GAME),
        deals_digest=deals_digest(GAME, 5, 3),
        package_version="",
        command="",
    )
    runs = [suite_scores(agent, bare, seed=one) for one in seeds]
    return replace(bare, scores=tuple(zip(*np.array(runs).tolist(), strict=True)))


class Watching(RandomAgent):
    """Keeps what it saw first."""

    seen: Any = None

    def act(self, observations, masks, rng):
        self.seen = observations.copy() if self.seen is None else self.seen
        return super().act(observations, masks, rng)


def test_deals_are_those_of_the_suite_and_who_plays_the_references_moves_has_no_regret():
    suite = suite_of(RandomAgent())
    one, other = Watching(), Watching()
    result = play_suite(Entrant("one", one), GAME, seed=1, suite=suite)
    assert [*result.regret] == [0, 0, 0]
    assert result.reached.mean == 1
    again = play_suite(Entrant("other", other), GAME, seed=2, suite=suite)
    assert [deal.score for deal in again.deals] != [deal.score for deal in result.deals]
    assert one.seen.tolist() == other.seen.tolist()
    first = Position.new(GAME, players=1, seed=suite.seed)
    assert one.seen[0].tolist() == first.observation(0).tolist() != one.seen[1].tolist()
    assert deals_digest(GAME, 6, 3) != suite.deals_digest


def test_regret_is_what_the_references_mean_is_above_the_score(tmp_path):
    suite = suite_of(make("heuristic", registry.game(GAME)), seeds=(1, 2))
    assert SoloSuite.from_json(suite.to_json()) == suite
    result = play_suite("random", GAME, suite=suite)
    assert result.regret.mean == suite.references.mean() - np.mean(result.scores) > 0
    assert result.score.mean == np.mean(result.scores)
    assert result.median == np.median(result.scores)
    low, high = result.regret.low, result.regret.high
    assert low is not None
    assert high is not None
    assert low < result.regret.mean < high
    worst = [deal.regret for deal in result.worst(9)]
    assert worst == sorted((deal.regret for deal in result.deals), reverse=True)
    result.save(tmp_path / "result.json")
    found = json.loads((tmp_path / "result.json").read_bytes())
    assert found["regret"]["mean"] == result.regret.mean
    assert found["deals"][1]["score"] == result.scores[1]


def test_the_bundled_suite_is_of_this_versions_deals():
    suite = bundled_suite(GAME)
    assert suite.deals == 100
    assert suite.agent_seeds == tuple(making.RUNS)
    assert all(len(scores) == len(suite.agent_seeds) for scores in suite.scores)
    assert suite.deals_digest == deals_digest(GAME, suite.seed, suite.deals)
    assert make(suite.agent, registry.game(GAME))
    assert suite.to_json() == suite_file(GAME).read_text("utf-8")


def test_a_suite_of_another_box_and_a_game_for_several_are_refused(tmp_path, monkeypatch):
    foreign = replace(suite_of(RandomAgent()), box_digest="0" * 64)
    (tmp_path / "suite.json").write_text(foreign.to_json())
    monkeypatch.setattr(suites, "suite_file", lambda _: tmp_path / "suite.json")
    assert "made with another box" in refused("solo-suite", "random")
    assert "so it has no solo suite" in refused("solo-suite", "random", "--game", "figaro")


def test_what_the_command_prints_and_writes(tmp_path, monkeypatch):
    suite = suite_of(RandomAgent())
    monkeypatch.setattr(suites, "bundled_suite", lambda _: suite)
    file = tmp_path / "result.json"
    out = printed("solo-suite", "random", "--worst", "2", "--out", str(file), "--seed", "3")
    assert "3 fixed deals" in out
    assert f"passes {registry.game(GAME).solo_target:g}" in out
    assert len([line for line in out.split("Worst deals")[1].splitlines() if "│" in line]) == 2
    assert json.loads(file.read_bytes())["seed"] == 3
