"""`shakespeare evaluate`: who sits down, and what is printed and written."""

from __future__ import annotations

import json
from typing import Any

import pytest

import shakespeare_agents
from shakespeare_agents.cli.playing import forecast_decisions, random_game_decisions
from shakespeare_agents.networks.checkpoint import save_checkpoint
from shakespeare_arena.evaluation import evaluate as play_games
from shakespeare_arena.games.seating import seatings
from shakespeare_env.core import registry
from tests.agents.networks import random_tensors
from tests.contract.command_line import output_of, refusal_of, run


@pytest.fixture(params=registry.names())
def game(request):
    return registry.game(request.param)


@pytest.fixture
def evaluated(game, tmp_path):
    """Runs the command; what it prints and what it writes."""

    def evaluate(*arguments, **more):
        path = tmp_path / "result.json"
        out = output_of("evaluate", "--game", game.name, *arguments, "--out", str(path), **more)
        return out, json.loads(path.read_bytes())

    return evaluate


def test_who_sits_down(game, evaluated, tmp_path):
    default = shakespeare_agents.default(game)
    most = game.max_seats
    tensors = random_tensors(8, game.layout.size, game.actions.size)
    facts: dict[str, Any] = {"command": "", "settings": {}, "figures": {}}
    save_checkpoint(tmp_path / "[red]", tensors, game, players=[most], **facts)
    own = f"{tmp_path / '[red]'},greedy=false"
    for names, players, table in (
        (["random", "greedy", "heuristic"], None, ["random", "greedy", "heuristic"]),
        (["greedy,samples=2", own], most, ["greedy,samples=2"] + [own] * (most - 1)),
        ([], None, [default] * most),
    ):
        seats = [] if players is None else ["--players", str(players)]
        _, data = evaluated(*names, *seats, "--games", "1")
        assert data["entrants"] == table
        assert data["games"] == len(seatings(table)), "a whole deal, from every seat"


INTERRUPTED = """
class Interrupted:
    left = {left}

    def act(self, observations, masks, rng):
        Interrupted.left -= len(masks)
        if Interrupted.left < 0:
            raise KeyboardInterrupt
        return masks.argmax(axis=1)
"""


def test_ctrl_c_shows_complete_deals_and_writes_no_result(game, tmp_path, monkeypatch):
    monkeypatch.setattr("shakespeare_arena.games.playing.GAMES_AT_ONCE", 4)
    file = tmp_path / "mine.py"
    out = tmp_path / "result.json"
    seats = max(game.min_seats, 2)
    named = ["evaluate", "--game", game.name, f"{file}:Interrupted", "random"]
    command = [*named, "--players", str(seats), "--games", "60", "--out", str(out)]
    file.write_text(INTERRUPTED.format(left=10))
    stopped = run(*command)
    assert stopped.exit_code == 130
    assert "no deal is complete; 0 of 60 games" in stopped.stderr
    file.write_text(INTERRUPTED.format(left=800))
    stopped = run(*command)
    assert stopped.exit_code == 130
    assert "Interrupted:" in stopped.stdout
    assert "To resume" not in stopped.stderr
    assert not out.exists()


def test_the_end_is_forecast_before_the_first_game_is_over(game):
    players = max(game.min_seats, 2)
    made: list[int] = []
    play_games(
        ["random"] * players, game.name, games=60, on_progress=lambda count, _: made.append(count)
    )
    at_random = random_game_decisions(game, players, {})
    assert forecast_decisions(made[0], 0, 60, at_random) == pytest.approx(made[-1], rel=0.1)
    # Games that are played at once are nearly over when the first one ends.
    assert forecast_decisions(95_000, 1, 1000, 100.0) == pytest.approx(100_000, rel=0.05)
    assert forecast_decisions(99_000, 700, 1000, 100.0) == pytest.approx(100_000, rel=0.15)
    # An agent that plays shorter games is noticed as they end.
    forecasts = [forecast_decisions(30 * ended, ended, 60, at_random) for ended in (6, 30, 60)]
    assert forecasts == sorted(forecasts, reverse=at_random > 30)
    assert forecasts[-1] == 30 * 60


def test_a_link_is_written_through(evaluated, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "result.json").symlink_to(tmp_path / "disk/result.json")
    _, data = evaluated("random", "random", "--games", "1")
    assert json.loads((tmp_path / "disk/result.json").read_bytes()) == data


def test_results_by_the_clock_say_that_they_cannot_be_repeated(tmp_path):
    seats = ["random", "--players", "3", "--game", "figaro"]
    out = output_of("evaluate", "search,seconds=0.001", *seats, "--games", "1")
    assert "By the clock: search,seconds=0.001. These games cannot be repeated" in out
    assert "By the clock" not in output_of(
        "evaluate", "search,simulations=1", *seats, "--games", "1"
    )
    path = tmp_path / "arena.toml"
    path.write_text(
        'game="figaro"\nplayers=[3]\ngames=3\nagents=["random", "search,seconds=0.001"]'
    )
    assert "By the clock: search,seconds=0.001. " in output_of("arena", str(path))


def test_the_file_and_the_table_hold_what_the_library_finds(game, evaluated):
    seats = game.max_seats
    games = 10 * game.max_seats
    command = ["heuristic", "random", "--players", str(seats), "--games", str(games), "--seed", "5"]
    command += [part for option in game.options for part in ("--option", option)]
    out, data = evaluated(*command, env={"COLUMNS": "80"})
    assert max(map(len, out.splitlines())) <= 80
    entrants = ["heuristic", *["random"] * (seats - 1)]
    options = dict.fromkeys(game.options, True)
    result = play_games(entrants, game.name, games=games, seed=5, options=options)
    assert data == result.to_json()
    for option, allowed in game.options.items():
        for players in set(registry.seats(game.name)) - set(allowed):
            arguments = ["--game", game.name, "--option", option, "--players", str(players)]
            assert f"players={players}" in refusal_of("evaluate", *arguments)
    for agent in data["agents"]:
        assert f"{100 * agent['win_rate']:.1f} (" in out
