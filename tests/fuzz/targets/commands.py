"""Command lines: done, or refused in words, with exit code 0, 1 or 2."""

from __future__ import annotations

import json
import os
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from shakespeare_env.cli import COMMANDS, app
from shakespeare_env.core.kernels import compile_all
from tests.fuzz.json_mutations import bytes_mutated, mutated, text
from tests.fuzz.play import start, starts
from tests.fuzz.targets import checkpoints, datasets

PATIENCE = 60.0
_NUMBERS = ("0", "1", "2", "3", "4", "5", "7", "-1", "1.5", "x", "", "1e3", "nan", "inf", "٣")
_HUGE = ("9223372036854775808", "18446744073709551616", "1" + "0" * 30, "-" + "9" * 5000)
_OPTIONS: dict[str, list[str]] = {}
_FLAGS: dict[str, list[str]] = {}
_LEFT_OUT = {"table", "--by", "--workers", "--ray", "--threads"}
"""What serves for ever, trains for long or takes other processes."""
_QUICK = ("watch", "show", "show", "replay", "replay", "play", "actions", "observation")
"""Chosen more often."""
_RECORDS = sorted(Path(__file__).parents[2].glob("*/data/*.jsonl.gz"))
"""Games as JSON lines, which `replay` reads."""
_SMALL = {
    "watch": ("--delay", "0"),
    "train": (
        *("--minutes", "0", "--decisions", "100", "--set", "n_envs=8", "--set", "n_steps=8"),
        *("--set", "batch_size=32", "--set", "width=8", "--set", "n_epochs=1"),
        *("--set", "evaluation_games=2", "--set", "final_evaluation_games=2"),
    ),
    "evaluate": ("--games", "4", "--threads", "2"),
    "arena": ("--games", "4", "--minutes", "0.01"),
    "measure": ("--games", "1", "--game", "figaro", "--players", "3"),
    "exploit": ("--minutes", "0", "--game", "figaro", "--players", "3"),
    "dataset": ("--games", "4", "--threads", "2"),
    "findings": ("--games", "2", "--only", "place"),
}
"""Last on the line, so that what is asked for does not take its time."""


def prepare() -> None:
    warnings.simplefilter("ignore")
    import stable_baselines3
    import torch

    torch.set_num_threads(1)
    del stable_baselines3
    for chosen in starts():
        compile_all(chosen.game)
    checkpoints.prepare()
    datasets.prepare()
    group: Any = typer.main.get_command(app)
    for command in COMMANDS.keys() - _LEFT_OUT:
        found = group.get_command(typer.Context(group), command).params
        options = [one for one in found if one.opts[0] not in {one.name, *_LEFT_OUT}]
        _OPTIONS[command] = [one.opts[-1] for one in options if not one.is_flag]
        _FLAGS[command] = [one.opts[-1] for one in options if one.is_flag]


def check(case: random.Random) -> str:
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)  # what a command writes where nobody says where
        line = _line(case, Path(place))
        done = CliRunner().invoke(app, line, input=_typed(case))
        os.chdir("/")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in (0, 1, 2), f"{line}: exit code {done.exit_code}"
    assert "Traceback" not in done.output, done.output
    return "refused" if done.exit_code else "done"


def _line(case: random.Random, place: Path) -> list[str]:
    command = case.choice((*sorted(_OPTIONS), *_QUICK))
    line: list[str] = []
    if command in ("show", "replay", "arena", "arena report", "arena merge"):
        line.append(_file(case, place))
    if command in ("evaluate", "dataset", "watch", "play", "replay", "mcp"):
        line += [_agent(case) for _ in range(case.randint(0, 3))]
    if command in ("exploit", "export", "measure"):
        line.append(_agent(case))
    if command == "dataset" and case.random() < 0.9:
        line += ["--out", "made"]
    for option in _OPTIONS[command] and case.choices(_OPTIONS[command], k=case.randint(0, 4)):
        line += [option, _value(case, option, place)]
    line += [flag for flag in _FLAGS[command] if case.random() < 0.3]
    if case.random() < 0.25 and line:
        at = case.randrange(len(line))
        line[at : at + 1] = case.choice(([], [_odd(case)], [line[at]] * 2, [line[at] + "x"]))
    return [command if case.random() < 0.98 else _odd(case), *line, *_SMALL.get(command, ())]


def _odd(case: random.Random) -> str:
    odd = (*_NUMBERS, *_HUGE, "--", "-", "--help", "--no-such", "-x", "/", ".", "made", text(case))
    return case.choice(odd).encode("utf-8", "replace").decode().replace("\0", "")


def _value(case: random.Random, option: str, place: Path) -> str:
    """What belongs to an option, or a number, or anything."""
    drawn = case.random()
    if drawn < 0.1:
        return _odd(case)
    if option in ("--start", "--resume", "--trust"):
        return _agent(case)
    if option in ("--config", "--picture", "--out", "--save", "--results", "--into", "--page"):
        made = ("table.svg", "table.png", "new/table.svg", "made", "game.jsonl", "new/game.jsonl")
        return case.choice((_file(case, place), *made))
    texts = {
        "--game": ("shakespeare", "shakespeare", "figaro", "figaro", "chess"),
        "--option": ("strategic_rest", "strategic_rest", "none"),
        "--moves": ("all", "0", "3", "10", "-1", "1 1 1 1", "1 2 undo", _file(case, place)),
        "--draw-at": ("day", "round", "phase", "seats", "none", ""),
        "--device": ("cpu", "cpu", "auto", "cuda:99", "meta", "tpu"),
        "--set": ("seed=1", "width=0", "opponents={}", "x=1", "width", "=", "seed=nan", "seed=[[["),
        "--instead": ("pass", "play:red-1>1", "", case.choice(start(case).moves() or [""])),
    }
    return case.choice(texts.get(option, (*_NUMBERS[:6], *_NUMBERS, *_HUGE)))


def _agent(case: random.Random) -> str:
    """A name, with options, or a folder."""
    folders = [str(folder(name)) for name in ("shakespeare", "figaro") for folder in _FOLDERS]
    names = ("random", "heuristic", "greedy", "network", "greedy,samples=1", "network,greedy=false")
    wrong = ("", "nobody", "greedy,samples=", "greedy,samples=-1", "random,x=1", ",,", "/", "..")
    return case.choice((case.choice(names), case.choice(names), *folders, case.choice(wrong)))


_FOLDERS = (checkpoints.saved, datasets.saved)


def _file(case: random.Random, place: Path) -> str:
    """A file or folder, as one is wanted or another, whole or damaged."""
    drawn = case.randrange(6)
    if drawn == 0:
        return case.choice(("-", "/dev/null", "/", "none.json", "", "x" * 5000, _agent(case)))
    if drawn == 1:
        return str(datasets.saved(case.choice(("shakespeare", "figaro"))))
    path = place / case.choice(("file.json", "file.jsonl", "file.toml", "file.jsonl.gz"))
    notation: Any = start(case).to_dict()
    content = json.dumps(notation).encode()
    if drawn == 2:
        content = case.choice(_RECORDS).read_bytes()
    elif drawn == 3:
        content = json.dumps(mutated(case, notation)).encode("utf-8", "surrogatepass")
    if case.random() < 0.4:
        content = bytes_mutated(case, content)
    path.write_bytes(content)
    return str(path)


def _typed(case: random.Random) -> bytes:
    """What is typed while a command runs."""
    lines = (b"1", b"2", b"", b"?", b"help", b"quit", b"undo", b"x" * 200, b"\xff", b"{}", b"0")
    return b"\n".join(case.choices(lines, k=case.choice((0, 3, 30))))
