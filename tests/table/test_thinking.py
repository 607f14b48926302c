"""Agents that loop, exit or are slow: they are ended and named, and keep nobody else waiting."""

import os
import time

import httpx2
import pytest

from shakespeare_agents.registry import make
from shakespeare_agents.session import choose
from shakespeare_agents.table.live_tables import is_brief
from shakespeare_agents.table.thinking.jobs import Decide, as_seen
from shakespeare_agents.table.thinking.thinker import Thinker, ThinkerError
from shakespeare_env import Position
from tests.browser.table_server import TableServer
from tests.table.tables import HTMX, begin, field, moves, play, seen, served

_AGENTS = """
import os, sys, time

class Agent:
    def __init__(self, game): pass
    def act(self, observations, masks, rng):
        return masks.argmax(axis=1)

class Loops(Agent):
    def act(self, observations, masks, rng):
        while True: pass

class Exits(Agent):
    def act(self, observations, masks, rng): sys.exit("enough")

class Ends(Agent):
    def act(self, observations, masks, rng): os._exit(1)

class Slow(Agent):
    def act(self, observations, masks, rng):
        time.sleep(0.5)
        return masks.argmax(axis=1)
"""
_SAYS = {
    "Loops": "more than 8 seconds and was ended",
    "Exits": "asked for the end",
    "Ends": "its process has ended",
}
_TABLES, _LIMIT_S = 17, 8.0
_END_S = 10.0
"""Two seconds on a machine that does little else."""
_PAUSE = 0.3


@pytest.fixture
def agents(tmp_path):
    """The names of the agents above, by their classes'."""
    (tmp_path / "mine.py").write_text(_AGENTS)
    return {name: f"{tmp_path}/mine.py:{name}" for name in ("Agent", "Slow", *_SAYS)}


def has_moved(page):
    return int(field(page, "number")) > 0


def test_others_play_on_while_agents_loop_exit_and_are_slow(tmp_path, agents):
    with served(tmp_path, agents=tuple(agents.values()), limit=_LIMIT_S) as client:
        bad = {
            who: begin(client, "figaro", ["person", agents[who], "person"], 3).url.path
            for who in (*_SAYS, "Slow")
        }
        others = [begin(client, "figaro", ["person", "random", "random"], seed).url.path
                  for seed in range(_TABLES)]  # fmt: skip
        waited = []
        for address in others:
            for _ in range(2):
                began = time.monotonic()
                page = seen(client, address, moves)
                waited.append(time.monotonic() - began)
                play(client, address, page, moves(page)[0])
        # Who had to wait for an agent that loops would wait for its limit.
        assert sorted(waited)[int(len(waited) * 0.95)] < _LIMIT_S
        for who, says in _SAYS.items():
            page = seen(client, bad[who], lambda page, says=says: says in page.text, _PAUSE)
            assert f"mine.py:{who} has failed" in page.text
            form = {"agent": "random", "since": field(page, "version")}
            answer = client.post(f"{bad[who]}/agent", data=form, headers=HTMX)
            assert answer.status_code == 200
            seen(client, bad[who], has_moved, _PAUSE)
        seen(client, bad["Slow"], has_moved, _PAUSE)


def test_no_page_names_the_folder_of_an_agent(tmp_path, agents):
    folder = str(tmp_path)
    with served(tmp_path, agents=(agents["Exits"],)) as client:
        page = begin(client, "figaro", ["person", agents["Exits"], "person"], 3)
        address = page.url.path
        page = seen(client, address, lambda page: "has failed" in page.text, _PAUSE)
        for where in (address, "/", f"{address}/thoughts?agent=mine.py:Exits&playouts=256"):
            answer = client.get(where)
            assert folder not in answer.text.replace("%2F", "/"), where
        again = client.get(address).text
        assert "mine.py:Exits" in again
        form = {"agent": "mine.py:Exits", "since": field(page, "version")}
        answer = client.post(f"{address}/agent", data=form, headers=HTMX)
        assert answer.status_code == 200


def test_an_agent_apart_plays_as_it_would_here_and_sees_no_more_than_its_seat():
    position = Position.new("figaro", players=3, seed=4)
    seat = position.to_move
    assert seat is not None
    shown = as_seen(position)
    assert shown.seen_by(seat) == position.seen_by(seat)
    assert shown == as_seen(position.determinize(seat, 99))
    assert shown.to_dict() != position.to_dict()
    assert shown.record()["random"] != position.record()["random"]
    thinker = Thinker()
    (apart,) = thinker.ask(Decide("search,simulations=32", shown, 7, 2), 60.0)
    assert apart == choose(make("search,simulations=32", position.game), position, 7, 2)
    thinker.close()
    with pytest.raises(ThinkerError):
        list(thinker.ask(Decide("random", shown, 7, 2), 60.0))


def test_what_takes_milliseconds_is_known():
    brief = ("random", "network", "network,version=1", "heuristic", "greedy", os.getcwd())
    slow = ("search", "greedy,samples=9999", "my.py:A", "a.b:c", "network,greedy=false,x=1")
    assert all(map(is_brief, brief))
    assert not any(map(is_brief, slow))


@pytest.mark.parametrize("signals", ["INT", "TERM"])
def test_the_server_ends_within_two_seconds_whatever_agents_do(tmp_path, agents, signals):
    server = TableServer(tmp_path, "--agent", agents["Loops"], "--agent", agents["Agent"])
    address = server.start().address
    with httpx2.Client(base_url=address, follow_redirects=True, timeout=60) as client:
        for _ in range(3):
            begin(client, "figaro", ["person", agents["Loops"], "person"], 3)
        time.sleep(3.0)
        began = time.monotonic()
        said = server.end(f"SIG{signals}")
    assert time.monotonic() - began < _END_S
    assert "every move that was shown is kept" in said
