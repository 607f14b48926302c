"""`shakespeare evaluate`: who sits down, what is printed and written, and what is refused."""

from __future__ import annotations

import json
import os
import re
from functools import partial
from typing import Any

import pytest

import agents
from agents.checkpoint import save_checkpoint
from shakespeare_env import Batch, registry
from shakespeare_env.cli import evaluate as command
from tests.agents.networks import random_tensors
from tests.contract.command_line import printed, refused, run
from training.evaluate import Seated
from training.evaluate import evaluate as play_table
from training.table_result import TableResult

GAME = registry.game("shakespeare")
DEFAULT = agents.default(GAME)


@pytest.fixture
def checkpoint(tmp_path):
    folder = tmp_path / "run"
    tensors = random_tensors(8, GAME.layout.size, GAME.actions.size)
    facts: dict[str, Any] = {"command": "", "settings": {}, "figures": {}}
    save_checkpoint(folder, tensors, GAME, players=[2], **facts)
    return folder


@pytest.fixture
def written(tmp_path):
    """Runs the command and gives back what it wrote."""

    def write(*arguments):
        path = tmp_path / "result.json"
        printed("evaluate", *arguments, "--out", str(path))
        return json.loads(path.read_bytes())

    return write


class TestTable:
    @pytest.mark.parametrize(
        ("arguments", "table"),
        [
            (["random", "greedy", "heuristic"], ["random", "greedy", "heuristic"]),
            (["random", "random"], ["random"] * 2),
            (["heuristic", "random", "--players", "4"], ["heuristic"] + ["random"] * 3),
            (["random"], ["random"] + [DEFAULT] * (GAME.max_seats - 1)),
            (["random", "--players", "2"], ["random", DEFAULT]),
            (["random", "--players", "1"], ["random"]),
            ([], [DEFAULT] * GAME.max_seats),
            (["--players", "2"], [DEFAULT] * 2),
        ],
    )
    def test_who_sits_down(self, written, arguments, table):
        assert written(*arguments, "--games", "1")["table"] == table

    def test_an_agent_is_made_once_for_all_its_seats(self, monkeypatch):
        made = []

        def make(name, game):
            made.append(name)
            return agents.RandomAgent()

        monkeypatch.setattr(agents, "make", make)
        printed("evaluate", "random", "heuristic", "random", "--players", "4", "--games", "4")
        assert made == ["random", "heuristic"]

    def test_checkpoints_and_options(self, written, checkpoint):
        names = [str(checkpoint), f"{checkpoint},greedy=false", "greedy,samples=2"]
        found = written(*names, "--games", "3")
        assert found["table"] == names
        assert [agent["name"] for agent in found["agents"]] == names

    @pytest.mark.parametrize(("asked", "played"), [(1, 3), (3, 3), (4, 6)])
    def test_games_are_rounded_up(self, written, asked, played):
        assert written("random", "--players", "3", "--games", str(asked))["games"] == played


class TestOutput:
    def test_the_file_holds_what_the_library_finds(self, written):
        found = written(
            *("heuristic", "random", "random", "--games", "30", "--seed", "5"),
            *("--option", "strategic_rest", "--threads", "2"),
        )
        table = [Seated("heuristic", agents.make("heuristic", GAME))]
        table += [Seated("random", agents.RandomAgent())] * 2
        options = {"strategic_rest": True}
        make_batch = partial(Batch, GAME.name)
        result = play_table(table, make_batch, games=30, seed=5, options=options)
        assert found == result.to_json()
        assert found["box_digest"] == registry.box_digest(GAME.name)

    def test_the_table_shows_the_same_figures(self, tmp_path):
        path = tmp_path / "result.json"
        out = printed(
            *("evaluate", "heuristic", "random", "--players", "3", "--games", "30"),
            *("--option", "strategic_rest", "--out", str(path)),
        )
        found = json.loads(path.read_bytes())
        assert "shakespeare, 3 seats, strategic_rest: 30 games, 10 deals, seed 0" in out
        assert f"Mean winning score {found['mean_winning_score']:.2f} ± " in out
        assert "equal agents win 33.3 %" in out
        for agent, label in zip(found["agents"], ("heuristic", "random ×2"), strict=True):
            (row,) = re.findall(rf"^│ {label} +│(.*)│$", out, re.MULTILINE)
            won, seats, score = row.split("│")
            rate, low, high = (100 * agent[name] for name in ("win_rate", "low", "high"))
            assert won.strip() == f"{rate:.1f} ({low:.1f} to {high:.1f})"
            assert [int(n) for n in seats.split()] == [
                int(f"{100 * rate:.0f}") for rate in agent["seat_win_rates"]
            ]
            margin = agent["score_high"] - agent["mean_score"]
            assert score.strip() == f"{agent['mean_score']:.2f} ± {margin:.2f}"

    def test_alone_a_score_is_held_against_its_target(self):
        out = printed("evaluate", "random", "--players", "1", "--games", "5")
        assert "shakespeare, 1 seat: 5 games" in out
        assert f"A good solo game passes {GAME.solo_target:g}." in out
        assert "Won" not in out
        assert "winning" not in out

    def test_one_deal_has_no_interval_of_scores(self):
        out = printed("evaluate", "random", "random", "--games", "2")
        assert "2 seats: 2 games, 1 deal, seed 0" in out
        assert re.search(r"│ +-?\d+\.\d\d │$", out, re.MULTILINE)

    @pytest.mark.parametrize("players", range(1, GAME.max_seats + 1))
    def test_it_fits_into_80_columns(self, players, checkpoint):
        """The longest names are folded, and nothing of them is lost."""
        names = [f"{checkpoint}{'/.' * k}" for k in range(players)]
        out = printed(
            *("evaluate", *names, "--players", str(players), "--games", "8"),
            env={"COLUMNS": "80"},
        )
        assert max(map(len, out.splitlines())) <= 80
        cells = "".join(re.findall(r"^│ ([^│]*?) +│", out, re.MULTILINE))
        assert cells == "".join(names)

    def test_brackets_in_a_name_are_no_markup(self, checkpoint):
        named = checkpoint.rename(checkpoint.with_name("[red]"))
        out = printed("evaluate", str(named), "random", "--games", "2", env={"COLUMNS": "200"})
        assert str(named) in out

    def test_the_bar_goes_to_the_error_stream_alone(self):
        done = run("evaluate", "random", "random", "--games", "2")
        assert "games over" not in done.stdout

    def test_a_result_that_cannot_be_written_is_shown_all_the_same(self, tmp_path, monkeypatch):
        def fail(result, path):
            raise OSError("disk full")

        monkeypatch.setattr(TableResult, "save", fail)
        path = tmp_path / "result.json"
        done = run("evaluate", "random", "random", "--games", "2", "--out", str(path))
        assert done.exit_code == 1
        assert f"cannot write {path}: disk full" in done.stderr
        assert "Mean winning score" in done.stdout


class TestRefusals:
    @pytest.fixture(autouse=True)
    def nobody_plays(self, monkeypatch):
        """All of it is found out before the first game."""
        monkeypatch.setattr(command, "play_table", lambda *_, **__: pytest.fail("they play"))

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--game", "chess"], ["--game", GAME.name]),
            (["heuristi"], ["'heuristi'", *agents.names()]),
            ([""], ["an agent needs a name"]),
            (["x" * 5000], ["AGENT", "no agent is named"]),
            (["random,x=1"], ["AGENT", "no option 'x'"]),
            (["greedy,samples=0"], ["AGENT", "samples=0"]),
            (["greedy,samples=true"], ["AGENT", "of type int"]),
            (["--players", "0"], ["--players"]),
            (["--players", "5"], ["--players", "1 to 4 seats, not 5"]),
            (["random"] * 5, ["AGENT", "1 to 4 seats, not 5"]),
            (["random"] * 3 + ["--players", "2"], ["AGENT", "3 agents for 2 seats"]),
            (["--games", "0"], ["--games"]),
            (["--games", "100001"], ["--games"]),
            (["--seed", "-1"], ["--seed"]),
            (["--seed", str(2**64)], ["--seed"]),
            (["--threads", "0"], ["--threads"]),
            (["--option", "fast"], ["--option", "strategic_rest"]),
            (["--option", "strategic_rest", "--players", "1"], ["--option", "players=1"]),
        ],
    )
    def test_what_cannot_be_asked(self, arguments, said):
        message = refused("evaluate", *arguments)
        assert all(words in message for words in said)
        assert run("evaluate", *arguments).exit_code == 2

    def test_a_checkpoint_that_is_damaged_or_of_another_box(self, checkpoint, tmp_path):
        card = checkpoint / "card.json"
        text = card.read_text()
        for spoilt, said in (
            (text[:50], "is not JSON"),
            (text.replace(registry.box_digest(GAME.name), "0" * 64), "made for box_digest"),
        ):
            card.write_text(spoilt)
            message = refused("evaluate", "random", str(checkpoint))
            assert message.startswith("Error: ")
            assert said in message
        assert "is it a checkpoint?" in refused("evaluate", str(tmp_path))

    def test_a_file_that_cannot_be_written(self, tmp_path):
        folder = tmp_path / "no" / "such"
        message = refused("evaluate", "random", "--out", str(folder / "result.json"))
        assert f"there is no folder {folder}; make it first" in message
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
        assert "not yours to write in" in message
