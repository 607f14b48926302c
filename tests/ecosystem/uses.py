"""Functions that use one extra in an environment of its own: `python -I uses.py EXTRA CHECKOUT`.

The program runs in an empty folder, and needs only our package with the extra.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

CHECKOUT = Path(sys.argv[-1])
GAME = "figaro"
"""The smaller game, whose rules compile faster."""
SHORT_RUN = [
    "game=figaro",
    "decisions=2000",
    "n_envs=16",
    "n_steps=16",
    "batch_size=128",
    "width=32",
    "n_epochs=1",
    "evaluation_games=4",
    "final_evaluation_games=4",
    'precision="float32"',
    "opponents={current=1.0}",
    'evaluation_opponents=["random"]',
]
"""Settings of a short training run."""
CONFIG = f"""
game = "{GAME}"
players = [3]
agents = ["random", "heuristic", "network", {{name = "mine", program = ["python3", "mine.py"]}}]
games = 96
"""


def smallest() -> None:
    """Run compiled code of both packages, and a command with worker processes."""
    from shakespeare_env import Batch, Position

    games = Batch(GAME, n=3, players=3, seed=1)
    ended = 0
    while not ended:
        _, done = games.step(games.random_actions())
        ended += int(done.sum())
    assert "<svg" in Position.new(GAME, players=3, seed=1).svg()
    shakespeare("evaluate", "network", "--game", GAME, "--games", "12", "--workers", "2")


def base() -> None:
    """Run every environment, agents with and without search, and worker processes."""
    import gymnasium

    import shakespeare_env

    smallest()
    table = shakespeare_env.env()
    table.reset(seed=1)
    for _ in table.agent_iter():
        _, _, ended, _, info = table.last()
        table.step(None if ended else int(info["action_mask"].argmax()))
    rows = gymnasium.make_vec("Shakespeare-v0", 2, opponents="random")
    _, infos = rows.reset(seed=1)
    rows.step(infos["action_mask"].argmax(axis=1))
    shakespeare("evaluate", "network", "heuristic", "--games", "12", "--workers", "2")
    shakespeare("watch", "search,simulations=8", "random", "--game", GAME, "--seed", "1")
    fault = _finished(str(_command()), "evaluate", "random", "--ray", "auto", status=1)
    assert fault.startswith("Error: many machines need ray"), fault


def data() -> None:
    """Record games, and read them in every way."""
    from shakespeare_env.datasets import Batches, read_decisions, read_games, recorded_games

    words = "random", "heuristic", "--players", "3", "--games", "12", "--out", "games"
    shakespeare("dataset", *words, "--game", GAME)
    assert read_games("games").collect().height == 12
    decisions = read_decisions("games")
    assert set(decisions["agent"]) == {"random", "heuristic"}
    batches = Batches("games", size=64, seed=7)
    assert sum(batch.size for batch in batches.epoch(0)) == decisions.height
    assert recorded_games("games")[3].positions
    assert "seat" in shakespeare("replay", "games", "--game-id", "1", "--at", "3")


def arena() -> None:
    """Run an arena with an external program, report on it, and compute a finding."""
    Path("arena.toml").write_text(CONFIG, encoding="utf-8")
    program = (CHECKOUT / "docs" / "programs" / "my_agent.py").read_text(encoding="utf-8")
    Path("mine.py").write_text(program, encoding="utf-8")
    shakespeare("arena", "arena.toml", "--trust")
    assert "heuristic" in shakespeare("arena", "arena.toml", "--report")
    shakespeare("replay", "arena", "--list")
    words = "--player", "random", "--player", "greedy", "--games", "4", "--only", "seat"
    shakespeare("findings", *words, "--players", "2", "--out", "answers")


def table() -> None:
    """Run the table's server, play in place of a browser, and draw a picture."""
    words = "table", "--no-browser", "--port", "0", "--games", "games.sqlite"
    with subprocess.Popen(
        [str(_command()), *words],
        text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout
        try:
            _play_at(server.stdout)
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(60) in (0, 130)  # 130 after Ctrl-C, 0 where it is ignored at first
    shakespeare("findings", "--sample", "1", "--game", GAME, "--out", "boxes")


def _play_at(lines: Iterable[str]) -> None:
    """Open a table of the server whose address is in its first lines of output."""
    matches = (re.search(r"http://[\d.:]+", line) for line in lines)
    address = next(match[0] for match in matches if match)

    opener = build_opener(HTTPCookieProcessor())

    def post(path: str, **form: str) -> Any:
        return opener.open(f"{address}{path}", urlencode(form).encode(), timeout=60)

    def is_ready() -> bool:
        try:
            return "/seat/" in post(f"/learn/{GAME}/first-game").url
        except HTTPError:  # status 503 until the rules are compiled
            return False

    while not is_ready():
        time.sleep(1)
    last = _last_decision()
    form = {"game": GAME, "players": "3", "position": json.dumps(last.to_dict())}
    form |= {f"seat{seat}": "person" if seat == last.to_move else "random" for seat in range(3)}
    table = post("/tables", **form)
    watched = re.search(r"/watch/([\w-]+)", table.read().decode())
    assert watched
    seat = urlsplit(table.url).path
    assert (
        "Review this game" in post(f"{seat}/play", move=last.moves()[0], number="0").read().decode()
    )
    picture = opener.open(f"{address}/review/table/{watched[1]}/0/picture.png", timeout=60)
    assert picture.read().startswith(b"\x89PNG")


def _last_decision() -> Any:
    """Return a position after whose first move the game is over."""
    from shakespeare_env import Position

    after = Position.new(GAME, players=3, seed=0)
    while after.to_move is not None:
        last = after.copy()
        after.push(after.moves()[0])
    return last


def train() -> None:
    """Train briefly, draw the curve, play and export the network, and exploit it."""
    settings = []
    for setting in SHORT_RUN:
        settings += ["--set", setting]
    shakespeare("train", "--out", "run", "--device", "cpu", *settings)
    assert Path("run", "learning_curve.png").is_file()
    assert list(Path("run", "tensorboard").iterdir())
    shakespeare("evaluate", "run", "random", "--game", GAME, "--games", "12")
    shakespeare("export", "run", "--torch", "--out", "exported")
    shakespeare("exploit", "run", "--decisions", "1", "--game", GAME, "--games", "6")


def cuda() -> None:
    """Play in Numba's simulator, as there may be no GPU."""
    program = (
        "from shakespeare_env import DeviceBatch; games = DeviceBatch('figaro', n=2, players=4); "
        "games.step(games.random_actions()); games.synchronize(); import numba_cuda"
    )
    _finished(sys.executable, "-c", program, NUMBA_ENABLE_CUDASIM="1", NUMBA_DISABLE_JIT="1")


def export() -> None:
    """Export a network for ONNX Runtime, which compares it with our own inference."""
    words = "--game", GAME, "--onnx", "--out", "exported"
    assert "the likeliest move is the same in 10,000" in shakespeare("export", "network", *words)


def ray() -> None:
    """Play games with Ray's workers."""
    words = "--game", GAME, "--games", "12", "--ray", "local"
    assert "12 games" in shakespeare("evaluate", "random", "heuristic", *words)


def mcp() -> None:
    """Begin a game with the MCP package's own client."""
    import asyncio

    from mcp import Client, StdioServerParameters

    words = ["mcp", "random", "--game", GAME]

    server = StdioServerParameters(command=str(_command()), args=words)
    calls: list[tuple[str, dict[str, object]]] = [
        ("new_game", {"table": 1, "game": GAME, "players": 3}),
        ("see_seat", {"table": 1}),
    ]

    async def begin() -> None:
        async with Client(server) as client:
            for tool, arguments in calls:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error

    asyncio.run(begin())


def render() -> None:
    """Render pictures, a window without a screen, and a film with Gymnasium's wrapper."""
    import gymnasium

    import shakespeare_env

    os.environ["SDL_VIDEODRIVER"] = "dummy"
    for mode in ("rgb_array", "human"):
        env = shakespeare_env.env(GAME, render_mode=mode)
        env.reset(seed=1)
        picture = env.render()
        assert mode == "human" or picture.std() > 0
        env.close()
    game = gymnasium.make("shakespeare_env:Figaro-v0", opponents="random", render_mode="rgb_array")
    filmed = gymnasium.wrappers.RecordVideo(game, "films", step_trigger=lambda step: step == 0)
    _, info = filmed.reset(seed=1)
    filmed.step(int(info["action_mask"].argmax()))
    filmed.close()
    assert list(Path("films").glob("*.mp4"))


def shakespeare(*words: str) -> str:
    """Run a command that must succeed, and return its output."""
    return _finished(str(_command()), *words)


def _command() -> Path:
    return Path(sys.executable).parent / "shakespeare"


def _finished(*words: str, status: int = 0, **variables: str) -> str:
    done = subprocess.run(
        words, env={**os.environ, **variables}, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode != status:
        sys.exit(f"{' '.join(words[1:])} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


if __name__ == "__main__":
    globals()[sys.argv[-2]]()
