"""A solo suite compares an agent with a reference on the same deals, whatever it draws."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

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
from shakespeare_env import Position, registry
from shakespeare_env.errors import BoxError
from tests.contract.command_line import printed, refused

ALONE = [name for name in registry.names() if 1 in registry.seats(name)]
NOT_ALONE = [name for name in registry.names() if name not in ALONE]
alone = pytest.mark.parametrize("game", ALONE)


def suite_of(game, agent, *, deals=3, seeds=(1,), seed=5):
    """A suite whose reference is an agent."""
    bare = SoloSuite(
        game=game,
        seed=seed,
        scores=((),) * deals,
        agent="reference",
        agent_digest="",
        agent_seeds=seeds,
        playouts=0,
        box_digest=registry.box_digest(game),
        deals_digest=deals_digest(game, seed, deals),
        package_version="",
        command="",
    )
    runs = [suite_scores(agent, bare, seed=one) for one in seeds]
    return replace(bare, scores=tuple(zip(*np.array(runs).tolist(), strict=True)))


@alone
def test_who_plays_the_references_moves_has_no_regret(game):
    suite = suite_of(game, RandomAgent())
    result = play_suite(Entrant("same", RandomAgent()), game, seed=1, suite=suite)
    assert [*result.regret] == [0, 0, 0]
    assert result.reached.mean == 1
    other = play_suite("random", game, seed=2, suite=suite)
    assert [deal.score for deal in other.deals] != [deal.score for deal in result.deals]


@alone
def test_regret_is_what_the_references_mean_is_above_the_score(game):
    suite = suite_of(game, make("heuristic", registry.game(game)), seeds=(1, 2))
    result = play_suite("random", game, suite=suite)
    assert result.regret.mean == suite.references.mean() - np.mean(result.scores) > 0
    assert result.score.mean == np.mean(result.scores)
    assert result.median == np.median(result.scores)
    low, high = result.regret.low, result.regret.high
    assert low is not None
    assert high is not None
    assert low < result.regret.mean < high
    assert [deal.regret for deal in result.worst(9)] == sorted(
        (deal.regret for deal in result.deals), reverse=True
    )
    assert len(result.worst(2)) == 2


@alone
def test_deals_are_those_of_the_seed_whoever_plays(game):
    class Watching(RandomAgent):
        """Keeps what it saw first."""

        seen: Any = None

        def act(self, observations, masks, rng):
            self.seen = observations.copy() if self.seen is None else self.seen
            return super().act(observations, masks, rng)

    suite = suite_of(game, RandomAgent())
    one, other = Watching(), Watching()
    play_suite(Entrant("one", one), game, seed=1, suite=suite)
    play_suite(Entrant("other", other), game, seed=2, suite=suite)
    assert one.seen.tolist() == other.seen.tolist()
    first = Position.new(game, players=1, seed=suite.seed)
    assert one.seen[0].tolist() == first.observation(0).tolist() != one.seen[1].tolist()
    assert deals_digest(game, 5, 3) == suite.deals_digest != deals_digest(game, 6, 3)


@alone
def test_the_json_holds_all_of_it(game, tmp_path):
    suite = suite_of(game, RandomAgent(), seeds=(1, 2))
    assert SoloSuite.from_json(suite.to_json()) == suite
    written = json.loads(suite.to_json())
    assert [deal["reference"] for deal in written["deals"]] == suite.references.tolist()
    result = play_suite("random", game, suite=suite)
    result.save(tmp_path / "result.json")
    found = json.loads((tmp_path / "result.json").read_bytes())
    assert found["regret"]["mean"] == result.regret.mean
    assert found["deals"][1]["score"] == result.scores[1]
    assert found["box_digest"] == registry.box_digest(game)


@alone
def test_a_bundled_suite_is_of_this_versions_deals(game):
    suite = bundled_suite(game)
    assert suite.deals == 100
    assert suite.agent_seeds == tuple(making.RUNS)
    assert all(len(scores) == len(suite.agent_seeds) for scores in suite.scores)
    assert suite.deals_digest == deals_digest(game, suite.seed, suite.deals)
    assert make(suite.agent, registry.game(game))
    assert suite.to_json() == suite_file(game).read_text("utf-8")


@alone
def test_a_suite_of_another_box_is_refused(game, tmp_path, monkeypatch):
    foreign = replace(suite_of(game, RandomAgent()), box_digest="0" * 64)
    (tmp_path / "suite.json").write_text(foreign.to_json())
    monkeypatch.setattr(suites, "suite_file", lambda _: tmp_path / "suite.json")
    with pytest.raises(BoxError, match=f"solo suite.*another box.*{game.upper()}_BOX"):
        bundled_suite(game)
    assert "made with another box" in refused("solo-suite", "random", "--game", game)


@pytest.mark.parametrize("game", NOT_ALONE)
def test_a_game_for_several_has_no_solo_suite(game):
    with pytest.raises(ValueError, match=f"{game} needs .* seats.*{ALONE[0]}"):
        play_suite("random", game)
    assert "so it has no solo suite" in refused("solo-suite", "random", "--game", game)


class TestMaking:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch):
        monkeypatch.setattr(making, "REFERENCE", "random")
        monkeypatch.setattr(making, "DEALS", 3)

    @alone
    def test_an_interrupted_making_goes_on_to_the_same_suite(self, game, tmp_path, monkeypatch):
        whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
        making.main(game, whole)
        assert SoloSuite.from_json(whole.read_text()).agent_seeds == tuple(making.RUNS)
        played: list[int] = []

        def interrupted(*arguments, seed, **named):
            if len(played) == 2:
                raise KeyboardInterrupt
            played.append(seed)
            return suite_scores(*arguments, seed=seed, **named)

        with monkeypatch.context() as patched:
            patched.setattr(making, "suite_scores", interrupted)
            with pytest.raises(KeyboardInterrupt):
                making.main(game, parts)
        assert SoloSuite.from_json(parts.read_text()).agent_seeds == (1, 2)
        making.main(game, parts)
        assert parts.read_text() == whole.read_text()

    @alone
    def test_another_reference_begins_anew(self, game, tmp_path, monkeypatch):
        path = tmp_path / "suite.json"
        making.main(game, path)
        monkeypatch.setattr(making, "REFERENCE", "heuristic")
        making.main(game, path)
        again = SoloSuite.from_json(path.read_text())
        assert again.agent == "heuristic"
        assert again.agent_seeds == tuple(making.RUNS)


class TestCommand:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch):
        suite = suite_of(ALONE[0], make("heuristic", registry.game(ALONE[0])))
        monkeypatch.setattr("shakespeare_agents.arena.solo_suite.bundled_suite", lambda _: suite)

    def test_prints_the_figures_beside_the_target(self):
        out = printed("solo-suite", "random")
        assert "3 fixed deals" in out
        assert f"passes {registry.game(ALONE[0]).solo_target:g}" in out
        assert "Worst deals" not in out

    def test_lists_the_worst_deals_on_request(self):
        out = printed("solo-suite", "random", "--worst", "2")
        assert len([line for line in out.split("Worst deals")[1].splitlines() if "│" in line]) == 2

    def test_writes_them(self, tmp_path):
        out = tmp_path / "result.json"
        printed("solo-suite", "random", "--out", str(out), "--seed", "3")
        assert json.loads(out.read_bytes())["seed"] == 3
