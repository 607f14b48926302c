"""`shakespeare evaluate`: who sits down, what is printed and written, and what is refused."""

from __future__ import annotations

import json
import os
import re
from functools import partial
from importlib import import_module
from typing import Any

import pytest

import shakespeare_agents
from shakespeare_agents.arena import Entrant
from shakespeare_agents.arena.evaluate import evaluate as play_games
from shakespeare_agents.arena.result import EvaluationResult
from shakespeare_agents.checkpoint import save_checkpoint
from shakespeare_env import registry
from tests.agents.networks import random_tensors
from tests.contract.command_line import printed, refused, run


@pytest.fixture(params=registry.names())
def game(request):
    return registry.game(request.param)


solo = pytest.mark.parametrize(
    "game", [name for name in registry.names() if 1 in registry.seats(name)], indirect=True
)


def fewest(game):
    """The fewest seats at which somebody sits opposite."""
    return max(2, game.min_seats)


def variants(game):
    """Every variant of the game switched on, as arguments of the command."""
    return [part for option in game.options for part in ("--option", option)]


@pytest.fixture
def checkpoint(game, tmp_path):
    folder = tmp_path / "run"
    tensors = random_tensors(8, game.layout.size, game.actions.size)
    facts: dict[str, Any] = {"command": "", "settings": {}, "figures": {}}
    save_checkpoint(folder, tensors, game, players=[game.max_seats], **facts)
    return folder


@pytest.fixture
def shown(game):
    """What the command prints about a game."""
    return partial(printed, "evaluate", "--game", game.name)


@pytest.fixture
def written(shown, tmp_path):
    """Runs the command and gives back what it wrote."""

    def write(*arguments):
        path = tmp_path / "result.json"
        shown(*arguments, "--out", str(path))
        return json.loads(path.read_bytes())

    return write


class TestTable:
    @pytest.mark.parametrize("kinds", [["random", "greedy", "heuristic"], ["random"]])
    def test_those_who_are_named_sit_down(self, game, written, kinds):
        for players in range(fewest(game), game.max_seats + 1):
            names = (kinds * players)[:players]
            assert written(*names, "--games", "1")["entrants"] == names

    def test_of_two_the_second_fills_the_table(self, game, written):
        players = ["--players", str(game.max_seats)]
        found = written("heuristic", "random", *players, "--games", "1")["entrants"]
        assert found == ["heuristic"] + ["random"] * (game.max_seats - 1)

    @pytest.mark.parametrize("names", [["random"], []])
    def test_the_default_agent_fills_the_table(self, game, written, names):
        default = [shakespeare_agents.default(game)]
        for players in registry.seats(game.name):
            table = names + default * (players - len(names))
            assert written(*names, "--players", str(players), "--games", "1")["entrants"] == table
        assert written(*names, "--games", "1")["entrants"] == table  # as many as there can be

    def test_an_agent_is_made_once_for_all_its_seats(self, game, shown, monkeypatch):
        made = []

        def make(name, game):
            made.append(name)
            return shakespeare_agents.RandomAgent()

        monkeypatch.setattr("shakespeare_agents.arena.entrants.make", make)
        players = str(game.max_seats)
        shown("random", "heuristic", "random", "--players", players, "--games", players)
        assert made == ["random", "heuristic"]

    def test_checkpoints_and_options(self, game, written, checkpoint):
        for name in (str(checkpoint), f"{checkpoint},greedy=false", "greedy,samples=2"):
            found = written("random", name, "--players", str(fewest(game)), "--games", "1")
            assert found["entrants"] == ["random"] + [name] * (fewest(game) - 1)
            assert [agent["name"] for agent in found["agents"]] == ["random", name]

    def test_games_are_rounded_up(self, game, written):
        seats = fewest(game)
        for asked, played in ((1, seats), (seats, seats), (seats + 1, 2 * seats)):
            found = written("random", "--players", str(seats), "--games", str(asked))
            assert found["games"] == played


class TestOutput:
    def test_the_file_holds_what_the_library_finds(self, game, written):
        seats, games = game.max_seats, 10 * game.max_seats
        found = written(
            *("heuristic", "random", "--players", str(seats), "--games", str(games)),
            *("--seed", "5", *variants(game), "--threads", "2"),
        )
        entrants = [Entrant("heuristic", shakespeare_agents.make("heuristic", game))]
        entrants += [Entrant("random", shakespeare_agents.RandomAgent())] * (seats - 1)
        options = dict.fromkeys(game.options, True)
        result = play_games(entrants, game.name, games=games, seed=5, options=options)
        assert found == result.to_json()
        assert found["box_digest"] == registry.box_digest(game.name)

    def test_the_table_shows_the_same_figures(self, game, shown, tmp_path):
        path, seats = tmp_path / "result.json", game.max_seats
        out = shown(
            *("heuristic", "random", "--players", str(seats), "--games", str(10 * seats)),
            *(*variants(game), "--out", str(path)),
        )
        found = json.loads(path.read_bytes())
        title = ", ".join([game.name, f"{seats} seats", *game.options])
        assert f"{title}: {10 * seats} games, 10 deals, seed 0" in out
        assert f"Mean winning score {found['mean_winning_score']:.2f} ± " in out
        assert f"equal agents win {100 / seats:.1f} %" in out
        for agent, label in zip(
            found["agents"], ("heuristic", f"random ×{seats - 1}"), strict=True
        ):
            (row,) = re.findall(rf"^│ {label} +│(.*)│$", out, re.MULTILINE)
            won, seats, score = row.split("│")
            rate, low, high = (100 * agent[name] for name in ("win_rate", "low", "high"))
            assert won.strip() == f"{rate:.1f} ({low:.1f} to {high:.1f})"
            assert [int(n) for n in seats.split()] == [
                int(f"{100 * rate:.0f}") for rate in agent["seat_win_rates"]
            ]
            margin = agent["score_high"] - agent["mean_score"]
            assert score.strip() == f"{agent['mean_score']:.2f} ± {margin:.2f}"

    @solo
    def test_alone_a_score_is_held_against_its_target(self, game, shown):
        out = shown("random", "--players", "1", "--games", "5")
        assert f"{game.name}, 1 seat: 5 games" in out
        assert f"A good solo game passes {game.solo_target:g}." in out
        assert "Won" not in out
        assert "winning" not in out

    def test_one_deal_has_no_interval_of_scores(self, game, shown):
        seats = fewest(game)
        out = shown(*["random"] * seats, "--games", str(seats))
        assert f"{seats} seats: {seats} games, 1 deal, seed 0" in out
        assert re.search(r"│ +-?\d+\.\d\d │$", out, re.MULTILINE)

    def test_it_fits_into_80_columns(self, game, shown, checkpoint):
        """The longest names are folded, and nothing of them is lost."""
        for players in registry.seats(game.name):
            names = [f"{checkpoint}{'/.' * k}" for k in range(players)]
            out = shown(*names, "--players", str(players), "--games", "8", env={"COLUMNS": "80"})
            assert max(map(len, out.splitlines())) <= 80
            cells = "".join(re.findall(r"^│ ([^│]*?) +│", out, re.MULTILINE))
            assert cells == "".join(names)

    def test_brackets_in_a_name_are_no_markup(self, game, shown, checkpoint):
        named = checkpoint.rename(checkpoint.with_name("[red]"))
        players = ["--players", str(fewest(game))]
        out = shown(str(named), "random", *players, "--games", "3", env={"COLUMNS": "200"})
        assert str(named) in out

    def test_the_bar_goes_to_the_error_stream_alone(self, shown):
        assert "games over" not in shown("random", "--games", "3")

    def test_a_result_that_cannot_be_written_is_shown_all_the_same(
        self, game, tmp_path, monkeypatch
    ):
        def fail(result, path):
            raise OSError("disk full")

        monkeypatch.setattr(EvaluationResult, "save", fail)
        path = tmp_path / "result.json"
        arguments = ["--players", str(fewest(game)), "--games", "3", "--out", str(path)]
        done = run("evaluate", "random", "--game", game.name, *arguments)
        assert done.exit_code == 1
        assert f"cannot write {path}: disk full" in done.stderr
        assert "Mean winning score" in done.stdout


class TestRefusals:
    @pytest.fixture(autouse=True)
    def nobody_plays(self, monkeypatch):
        """All of it is found out before the first game."""
        arena = import_module("shakespeare_agents.arena.evaluate")
        monkeypatch.setattr(arena, "evaluate", lambda *_, **__: pytest.fail("they play"))

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (
                ["heuristi"],
                ["'heuristi'", "did you mean 'heuristic'?", *shakespeare_agents.names()],
            ),
            ([""], ["an agent needs a name"]),
            (["x" * 5000], ["AGENT", "there is no agent or folder"]),
            (["random,x=1"], ["AGENT", "no option 'x'"]),
            (["greedy,samples=0"], ["AGENT", "samples=0"]),
            (["greedy,samples=true"], ["AGENT", "of type int"]),
            (["--players", "0"], ["--players"]),
            (["--players", "99"], ["--players", "{least} to {most} seats, not 99"]),
            (["random"] * 99, ["AGENT", "99 players for {most} seats"]),
            (["random"] * 9 + ["--players", "{most}"], ["AGENT", "9 players for {most} seats"]),
            (["--games", "0"], ["--games"]),
            (["--games", "100000001"], ["--games"]),
            (["--seed", "-1"], ["--seed"]),
            (["--seed", str(2**64)], ["--seed"]),
            (["--threads", "0"], ["--threads"]),
            (["--option", "fast"], ["--option", "{options}"]),
        ],
    )
    def test_what_cannot_be_asked(self, game, arguments, said):
        known = {"least": game.min_seats, "most": game.max_seats}
        known["options"] = ", ".join(game.options) or "none"
        arguments = ["--game", game.name, *(part.format(**known) for part in arguments)]
        message = refused("evaluate", *arguments)
        assert all(words.format(**known) in message for words in said)
        assert run("evaluate", *arguments).exit_code == 2

    def test_an_unknown_game(self):
        message = refused("evaluate", "--game", "chess")
        assert all(words in message for words in ("--game", *registry.names()))

    def test_a_variant_at_a_table_that_it_is_not_for(self, game):
        for option, seats in game.options.items():
            for players in set(registry.seats(game.name)) - set(seats):
                arguments = ["--game", game.name, "--option", option, "--players", str(players)]
                message = refused("evaluate", *arguments)
                assert all(words in message for words in ("--option", f"players={players}"))

    def test_a_checkpoint_that_is_damaged_or_of_another_box(self, game, checkpoint, tmp_path):
        card = checkpoint / "card.json"
        text = card.read_text()
        for spoilt, said in (
            (text[:50], "is not JSON"),
            (text.replace(registry.box_digest(game.name), "0" * 64), "made with another box"),
        ):
            card.write_text(spoilt)
            seats = ("--players", str(game.max_seats))
            message = refused("evaluate", "--game", game.name, *seats, "random", str(checkpoint))
            assert message.startswith("Error: ")
            assert said in message
        assert "is it a checkpoint?" in refused("evaluate", str(tmp_path))

    def test_a_file_that_cannot_be_written(self, tmp_path):
        folder = tmp_path / "no" / "such"
        message = refused("evaluate", "random", "--out", str(folder / "result.json"))
        assert f"there is no folder {folder}; create it first" in message
        message = refused("evaluate", "random", "--out", str(tmp_path))
        assert "it is a folder; give the name of a file" in message

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
    def test_what_is_no_file_is_not_replaced(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        assert "a device or a pipe" in refused("evaluate", "random", "--out", str(pipe))
        assert pipe.is_fifo()

    def test_a_folder_that_others_own(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda *_: False)  # whoever tests may be root
        message = refused("evaluate", "random", "--out", str(tmp_path / "result.json"))
        assert "you may not write in" in message
