"""Programs written on the spot, and games played with one."""

import os
import secrets
import sys

import numpy as np
import psutil

from shakespeare_agents import RandomAgent
from shakespeare_agents.programs import Limits, Program, ProgramAgent
from shakespeare_arena.referee import RefereedLineup
from shakespeare_env.play.lineup import play_out
from tests.generators import generators

PYTHON = [sys.executable, "-I", "-S"]
"""Starts in some milliseconds."""
QUICK = Limits(seconds_a_move=20.0, seconds_to_start=20.0)
"""Enough for whatever is not about time, on any machine."""
TOKEN = os.environ.get("STARTED_BY_TEST") or secrets.token_hex(16)
"""The last word of the commands of programs, and so of their forks; other tests' have others."""
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
    """A program in Python, of these lines after the preamble."""
    return Program([*PYTHON, "-c", PREAMBLE + body, TOKEN], limits, folder)


def agent(body, limits=QUICK):
    return ProgramAgent(program(body, limits))


def games(table, agents, n):
    """n games at a table: the first agent holds the seat to move, the others the rest in turn."""
    batch = table.batch(n, seed=1, autoreset=False)
    others = agents[1:] or [RandomAgent()]
    seated = [agents[0], *[others[k % len(others)] for k in range(table.players - 1)]]
    places = (np.arange(table.players) - batch.to_move[:, None]) % table.players
    lineup = RefereedLineup.seated(seated, places, batch.game.max_seats, generators(n))
    return batch, lineup


def forfeits(table, asked, n=1, most=None):
    """The faults by which an agent loses some of n games against random players."""
    batch, lineup = games(table, [asked], n)
    play_out(batch, lineup, most=most)
    lineup.end()
    lost = np.flatnonzero(lineup.forfeited)
    faults = [lineup.forfeits[row].fault for row in lost.tolist()]
    return [(fault.kind, fault.details) for fault in faults]


def descriptors():
    return psutil.Process().num_fds()


def running():
    """Processes of programs started by this one, those that have left everything behind too."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline()[-1:] == [TOKEN]:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found
