"""Programs made from a few lines of Python, and games played with them."""

import os
import secrets
import sys

import numpy as np
import psutil

from shakespeare_agents import RandomAgent
from shakespeare_agents.program_agent import ProgramAgent
from shakespeare_agents.programs import Limits, Program
from shakespeare_arena.games.referee import RefereedLineup
from shakespeare_env.play.lineup import play_out
from tests.generators import generators

PYTHON = [sys.executable, "-I", "-S"]
"""A Python that starts within milliseconds."""
QUICK = Limits(seconds_a_move=20.0, seconds_to_start=20.0)
"""Limits that suffice on any machine, for tests that are not about time."""
TOKEN = os.environ.get("STARTED_BY_TEST") or secrets.token_hex(16)
"""The last argument of these programs and their children, which marks them as of this test."""
PREAMBLE = """
import json, os, signal, subprocess, sys, time
def questions():
    for line in sys.stdin:
        question = json.loads(line)
        if question["command"] == "move":
            yield question
def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()
def answer(question, **changed):
    write(json.dumps({"id": question["id"], "move": question["moves"][0], **changed}) + "\\n")
"""
PLAYS = "for question in questions(): answer(question)"


def program(body, limits=QUICK, folder="."):
    """Return a program of these lines of Python after the preamble."""
    return Program([*PYTHON, "-c", PREAMBLE + body, TOKEN], limits, folder)


def agent(body, limits=QUICK):
    return ProgramAgent(program(body, limits))


def games(table, agents, n):
    """Begin n games. The first agent holds the seat to move, and the others share the rest."""
    batch = table.batch(n, seed=1, autoreset=False)
    others = agents[1:] or [RandomAgent()]
    seated = [agents[0], *(others[k % len(others)] for k in range(table.players - 1))]
    places = (np.arange(table.players) - batch.to_move[:, None]) % table.players
    lineup = RefereedLineup.seated(seated, places, batch.game.max_seats, generators(n))
    return batch, lineup


def forfeits(table, tested, n=1, most=None):
    """Return the faults by which an agent loses some of n games against random agents."""
    batch, lineup = games(table, [tested], n)
    play_out(batch, lineup, max_steps=most)
    lineup.end(np.arange(n))
    forfeited = np.flatnonzero(lineup.forfeited)
    faults = [lineup.forfeits[row].fault for row in forfeited.tolist()]
    return [(fault.kind, fault.details) for fault in faults]


def descriptors():
    return psutil.Process().num_fds()


def running():
    """Return the processes of these programs, including those that no longer have a parent."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline()[-1:] == [TOKEN]:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found
