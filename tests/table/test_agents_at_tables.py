"""Agents in processes: they know no more than their seat, and may loop or exit."""

import pickle
import signal
import time
from functools import partial
from pathlib import Path

import httpx2
import numpy as np
import pytest

from shakespeare_agents.making import make
from shakespeare_env import Batch, Position
from shakespeare_env.play.lineup import Lineup
from shakespeare_table.browser.processes import AgentProcess, JobError, decide, possible_position
from shakespeare_table.session import choose
from tests import generators
from tests.browser.table_server import TableServer
from tests.table.tables import HTMX, begin, field, moves, play, served, wait_for_page

AGENTS = """
import os, pathlib, sys, time

class Agent:
    def __init__(self, game): pass

class Loops(Agent):
    def act(self, observations, masks, rng):
        pathlib.Path(__file__).with_name("looping").touch()
        while True: time.sleep(0.01)

class Exits(Agent):
    def act(self, observations, masks, rng): sys.exit("enough")

class Ends(Agent):
    def act(self, observations, masks, rng): os._exit(1)

"""
FAULTS = {
    "Loops": "more than 6 seconds and was ended",
    "Exits": "RuntimeError in mine.py, line 13 (the server",
    "Ends": "its process has ended",
}
LIMIT_S = 6.0
END_S = 2.0
PAUSE_S = 0.3


@pytest.fixture
def agents(tmp_path):
    """Return the names of the agents in `AGENTS`, by their classes' names."""
    (tmp_path / "mine.py").write_text(AGENTS)
    return {name: f"{tmp_path}/mine.py:{name}" for name in FAULTS}


def has_moved(page):
    return int(field(page, "number")) > 0


def test_agents_that_loop_or_exit_keep_nobody_waiting_and_can_be_replaced(tmp_path, agents):
    with served(tmp_path, agents=tuple(agents.values()), limit=LIMIT_S) as client:
        addresses = {
            name: begin(client, "figaro", ["person", f"mine.py:{name}", "person"], 3).url.path
            for name in FAULTS
        }
        address = begin(client, "figaro", ["person", "random", "random"], 1).url.path
        page = wait_for_page(client, address, moves)
        play(client, address, page, moves(page)[0])
        wait_for_page(client, address, moves)
        for name, fault in FAULTS.items():
            page = wait_for_page(
                client, addresses[name], lambda page, fault=fault: fault in page.text, PAUSE_S
            )
            assert f"mine.py:{name} has failed" in page.text
            assert str(tmp_path) not in page.text
            form = {"agent": "random", "since": field(page, "version")}
            answer = client.post(f"{addresses[name]}/agent", data=form, headers=HTMX)
            assert answer.status_code == 200
            wait_for_page(client, addresses[name], has_moved, PAUSE_S)
            assert (
                client.post(f"{addresses[name]}/agent", data=form, headers=HTMX).status_code == 409
            )


@pytest.fixture(scope="module")
def position():
    return Position.new("figaro", players=3, seed=4)


def test_a_job_holds_no_more_than_the_seat_to_move_knows(position):
    seat = position.to_move
    possible = possible_position(position)
    assert possible.seen_by(seat) == position.seen_by(seat)
    assert possible == possible_position(position.determinize(seat, 99))
    assert possible.to_dict() != position.to_dict()
    assert possible.record()["random"] != position.record()["random"]


def test_a_job_holds_no_secret_decision_of_another_seat():
    jobs = []
    for wager in ("wager:1", "wager:2"):
        position = Position.new("shakespeare", players=2, seed=4)
        while wager not in position.moves():
            position.push(position.moves()[0])
        position.push(wager)
        jobs.append(pickle.dumps(possible_position(position)))
    assert jobs[0] == jobs[1]


def test_an_agent_in_a_process_plays_as_it_would_here(position):
    name = "search,simulations=32"
    possible = possible_position(position)
    process = AgentProcess()
    (move,) = process.run(partial(decide, name, possible, 7, 2), 60.0)
    process.close()
    assert move == choose(make(name, position.game), position, 7, 2)


def test_an_agent_observes_the_same_history_at_a_table_as_in_a_match():
    """A job brings the decisions that the seat knows, and the game goes as in a match."""
    batch = Batch("shakespeare", players=2, seed=4, autoreset=False)
    at_table = Position.new("shakespeare", players=2, seed=4)
    name = f"{Path(generators.__file__)}:RecallingAgent"
    lineup = Lineup([generators.RecallingAgent()], np.zeros((1, 4)), generators.generators(1))
    for number in range(40):
        possible = pickle.loads(pickle.dumps(possible_position(at_table)))
        *_, move = decide(name, possible, 0, number)
        actions = lineup.decide(batch, np.arange(1))
        assert at_table.action_id(move) == actions[0]
        batch.step(actions)
        at_table.push(move)


def test_a_process_that_is_closed_runs_no_job(position):
    process = AgentProcess()
    process.close()
    with pytest.raises(JobError):
        list(process.run(partial(decide, "random", possible_position(position), 7, 2), 60.0))


def test_a_process_that_cannot_be_started_raises(position, monkeypatch):
    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(AgentProcess().run(partial(decide, "random", possible_position(position), 7, 2), 60.0))


def test_the_server_ends_within_two_seconds_whatever_agents_do(tmp_path, agents):
    server = TableServer(tmp_path, "--agent", agents["Loops"])
    address = server.start().address
    with httpx2.Client(base_url=address, follow_redirects=True, timeout=60) as client:
        seats = ["person", "mine.py:Loops", "person"]
        seat = begin(client, "figaro", seats, 3).url.path
        with client.stream("GET", "events", params={"of": seat}) as events:
            next(events.iter_lines())
            while not (tmp_path / "looping").exists():
                time.sleep(PAUSE_S)
            began = time.monotonic()
            server.end(signal.SIGINT)
    assert time.monotonic() - began < END_S
    assert "ASGI" not in server.errors()
