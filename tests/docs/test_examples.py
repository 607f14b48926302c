"""The examples on the pages work as written: Python code, commands, and moves to enter."""

import os
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest
import torch
import typer

from shakespeare_agents.networks.checkpoint import bundled_checkpoint
from shakespeare_env.cli import app
from shakespeare_env.core import registry
from tests.contract.command_line import output_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
DATASETS = DOCS / "datasets.md"
ADOPTING = DOCS / "adopting.md"
STRATEGY = DOCS / "strategy.md"
PAGES = {page: page.read_text("utf-8") for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md"))}
COMMANDS: Any = typer.main.get_command(app)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def blocks(text):
    """Return the language and the text of each block of code."""
    return re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(block, id=f"{page.name}-{number}")
        for page, text in sorted(PAGES.items())
        for number, (language, block) in enumerate(blocks(text))
        if language == "python"
        and page not in (DATASETS, STRATEGY)
        and (page.parent != ROOT or "README" in page.name)
    ],
)
def test_an_example_runs(example, capsys):
    if "DeviceBatch" in example and not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    if "import wandb" in example:
        pytest.importorskip("wandb")
    exec(compile(example, "<example>", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: page.stem)
def test_commands_have_the_options_and_targets_they_are_given(page):
    lines = []
    for language, block in blocks(PAGES[page]):
        if language in ("", "sh", "console"):
            lines += block.replace("\\\n", " ").splitlines()
    for line in lines:
        if not re.match(r" *(\$ )?(shakespeare|make) ", line):
            continue
        program, *words = shlex.split(line.strip().removeprefix("$ "), comments=True)
        if program == "make":
            assert {word for word in words if "=" not in word} <= TARGETS, line
            continue
        _, command, arguments = COMMANDS.resolve_command(typer.Context(COMMANDS), words)
        options = {option for param in command.params for option in param.opts}
        assert {word for word in arguments if word.startswith("--")} <= options, line


def test_the_examples_about_datasets_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    """The dataset has fewer games than on the page."""
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    outputs: list[str] = []
    for language, block in blocks(PAGES[DATASETS]):
        if language == "python":
            exec(compile(block, "<example>", "exec"), names)
            outputs.append(capsys.readouterr().out)
        elif language == "sh":
            for line in block.replace("--games 2000", "--games 16").splitlines():
                outputs.append(output_of(*shlex.split(line)[1:], input="quit\n"))
    assert "16 games" in outputs[0]
    assert "Position 0 of" in outputs[1]
    assert "Wrote game.html" in outputs[-1]


def test_the_questions_about_strategy_are_short_and_have_their_answers(capsys):
    """`make docs` writes the answers. Here they are asked again in fewer games."""
    network = bundled_checkpoint(registry.game("shakespeare")).name
    assert f"network {network}" in PAGES[STRATEGY], "run `make docs` and read the answers"
    examples = blocks(PAGES[STRATEGY])
    assert [language for language, _ in examples] == ["python", "text"] * 2
    for (_, code), (_, answer) in batched(examples):
        assert code.count("\n") <= 20
        exec(compile(code.replace("games=1000", "games=4"), "<example>", "exec"), {})
        again = capsys.readouterr().out
        assert "with heuristic at every seat" in again
        assert "with network at every seat" in again
        assert "too few deals" in again
        assert "too few deals" not in answer
        assert beginnings(again) <= beginnings(answer)


def batched(examples):
    """Return pairs of a question and its answer."""
    return zip(examples[::2], examples[1::2], strict=True)


def beginnings(text):
    """Return the first column of tables, and other lines without the numbers of positions."""
    return {re.sub(r"^\d+ positions of \d+", "", line.split("  ")[0]) for line in text.splitlines()}


def test_a_network_that_is_trained_elsewhere_comes_back_as_on_the_page(tmp_path, monkeypatch):
    """The network is not trained here, and plays less than on the page."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(DOCS)
    less = {
        "--games 100": "--games 2",
        "heuristic --players 2": "heuristic --players 2 --games 2",
        "search,": "search,simulations=2,",
        "adopt $NET": "adopt $NET --decisions 1 --width 8 --games 2",
    }
    script, *_ = (block for language, block in blocks(PAGES[ADOPTING]) if language == "sh")
    for whole, short in less.items():
        assert whole in script
        script = script.replace(whole, short)
    python, shell_variable, *commands = script.splitlines()
    program, _, net = shell_variable.removeprefix("NET=").partition(":")
    assert python.startswith(f"python {program} ")
    assert net == "Net,weights=net.pth"
    network = runpy.run_path(program)["Net"](registry.game("shakespeare"))
    torch.save(network.state_dict(), "net.pth")
    monkeypatch.setenv("NET", f"{program}:{net}")
    outputs = [
        output_of(*shlex.split(os.path.expandvars(line), comments=True)[1:]) for line in commands
    ]
    evaluated, searched, adopted, searched_again = outputs
    assert "Same move, %" in adopted
    for output in (evaluated, searched, searched_again):
        assert "2 seats: 2 games" in output


def test_the_game_on_the_page_about_playing_is_the_game_that_is_played():
    consoles = [text for language, text in blocks(PAGES[DOCS / "play.md"]) if language == "console"]
    (shown,) = consoles
    command, *parts = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
    entered = re.findall(r"^Your move \(\? table, help\): (.*)$", shown, re.MULTILINE)
    assert {"hint", "undo", "quit"} <= {*entered}
    arguments = shlex.split(command.removeprefix("$ "))[1:]
    screen = {"COLUMNS": "78", "LINES": "40"}
    output = output_of(*arguments, input="\n".join(entered) + "\n", env=screen)
    for part in parts:
        _, match, output = output.partition(part)
        assert match, part
