"""External programs: what they are asked and what becomes of them; for faults see test_attacks."""

import gc
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shakespeare_agents.arena.programs import (
    Limits,
    Program,
    ProgramAgent,
    ProgramError,
    program_digest,
)
from shakespeare_agents.arena.programs.agent import action_in, question
from shakespeare_agents.arena.programs.kept import Kept
from shakespeare_env.play.information_sets import InformationSets
from tests.arena.programs.small_programs import (
    PLAYS,
    QUICK,
    TOKEN,
    agent,
    descriptors,
    forfeits,
    games,
    program,
    running,
)
from tests.contract import knowledge
from tests.contract.each_table import small_tables
from tests.contract.random_games import TABLES, differing_fields, sampled, stacked

MOVES = {"draft:hamlet": 3, "draft:viola": 5}
ONE, TWO = (next(table for table in TABLES if table.players == seats) for seats in (1, 2))


def shown(table, records):
    """The questions about some positions, each to the seat that decides."""
    batch = table.batch(len(records), seed=0)
    batch.load(slice(None), stacked(records))
    sets = InformationSets(batch, np.arange(len(records)))
    asked = (question(sets, i, number=17, game_id=4, seconds=2.5) for i in range(len(records)))
    return [json.loads(line) for line in asked]


@small_tables
def test_a_question_is_a_seat_s_view_and_depends_on_nothing_hidden(table):
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(8)
    positions = [p for p in sampled(table, seed=2, every=12) if p.to_move is not None]
    records = [position.record() for position in positions]
    found = shown(table, records)
    for position, asked in zip(positions, found, strict=True):
        seat = position.to_move
        assert seat is not None
        assert asked == {
            "id": 17,
            "command": "move",
            "game_id": 4,
            "seat": seat,
            "seconds": 2.5,
            "position": position.game.seen_by(position.to_dict(), seat),
            "observation": position.observation(seat).tolist(),
            "moves": position.moves(),
        }
    changed = [hidden.change_in_record(r, int(r["to_move"]), rng) for r in records]
    assert shown(table, changed) == found
    assert len(differing_fields(stacked(records), stacked(changed))) > 1, "nothing was hidden"


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        (b"draft:viola", "garbage", "its answer is not JSON"),
        (b"\xff", "garbage", "its answer is not UTF-8"),
        (b'{"move": "draft:viola"}', "garbage", "in its answer: the field 'id' is missing"),
        (b'{"id": 16, "move": "draft:viola"}', "garbage", "id=16 must be 17, as in the question"),
        (b'{"id": 17, "mvoe": ""}', "garbage", 'no field "mvoe"; the fields here: id, move'),
        (b'{"id": 17, "move": "DRAFT:VIOLA"}', "illegal", "legal: draft:hamlet, draft:viola"),
    ],
)
def test_an_answer_is_refused_in_words(text, kind, says):
    assert action_in(b' {"move":"draft:hamlet","id":17}\r', 17, MOVES) == 3
    with pytest.raises(ProgramError) as caught:
        action_in(text, 17, MOVES)
    assert caught.value.fault.kind == kind
    assert says in caught.value.fault.details


def test_a_program_plays_several_games_and_hears_when_they_are_over(tmp_path):
    """Numbers of games and questions are its own: they tell nothing of deals and opponents."""
    heard = tmp_path / "heard"
    body = f"""
heard = open({str(heard)!r}, "w")
for line in sys.stdin:
    question = json.loads(line)
    known = [question.get(name) for name in ("command", "id", "game_id", "seconds")]
    print(json.dumps(known), file=heard, flush=True)
    if question["command"] == "move":
        answer(question)
"""
    with agent(body) as one:
        assert forfeits(TWO, one, n=2) == []
        first = [json.loads(line) for line in heard.read_text().splitlines()]
        assert forfeits(TWO, one, n=1) == []
    lines = [json.loads(line) for line in heard.read_text().splitlines()]
    assert [number for _, number, *_ in first] == list(range(1, len(first) + 1))
    assert {game for _, _, game, _ in first} == {1, 2}
    assert {seconds for *_, seconds in first} == {QUICK.seconds_a_move}
    assert lines[len(first) :][:2] == [["end", None, 1, None], ["end", None, 2, None]]
    assert {game for _, _, game, _ in lines[len(first) + 2 :]} == {3}


def test_a_program_has_its_time_for_a_game_and_not_more():
    limits = Limits(seconds_a_move=20, seconds_a_game=0.3, seconds_to_start=20)
    with agent("for question in questions(): time.sleep(0.02); answer(question)", limits) as slow:
        assert forfeits(ONE, slow) == [("time", "it thought for longer than 0.3 s in one game")]


def test_an_answer_counts_though_its_program_has_ended_meanwhile(monkeypatch):
    """While the arena looks at memory, after the question was written."""

    def look(self):
        time.sleep(0.3)
        return 0

    monkeypatch.setattr(Kept, "resident_bytes", look)
    with agent("for question in questions(): answer(question); sys.exit(0)") as one:
        assert forfeits(TABLES[0], one, most=1) == []


def test_after_ten_faults_in_a_row_the_rest_of_a_step_is_lost_unasked(tmp_path):
    begun = tmp_path / "begun"
    with agent(f"open({str(begun)!r}, 'a').write('x'); sys.exit(3)") as fails:
        lost = forfeits(ONE, fails, n=12)
    assert begun.read_text() == "x" * 10
    said = "it ended with exit code 3"
    assert lost[:10] == [("crash", said)] * 10
    after = f"it was not asked any more after 10 faults in a row, the last of them: {said}"
    assert lost[10:] == [("crash", after)] * 2


def test_who_fails_is_started_anew_for_the_next_game(tmp_path):
    body = f"""
begun = {str(tmp_path)!r} + "/begun"
open(begun, "a").write("x")
for question in questions():
    if open(begun).read() == "x":
        raise SystemExit("the first time")
    answer(question)
"""
    with agent(body) as one:
        ((kind, details),) = forfeits(TWO, one, n=3)
    assert kind == "crash"
    assert details == "it ended with exit code 1; standard error ended with:\nthe first time"
    assert (tmp_path / "begun").read_text() == "xx"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells of them there")
def test_it_starts_in_its_folder_with_no_signal_ignored_and_nobody_else_s_files(tmp_path):
    """Python ignores some signals, which what it starts would inherit."""
    look = "grep -E 'Sig(Blk|Ign)' /proc/self/status > signals; ls /proc/self/fd > files"
    with ProgramAgent(Program(["sh", "-c", look], QUICK, tmp_path)) as one:
        assert forfeits(TABLES[0], one) == [("crash", "it ended with exit code 0")]
    signals = (tmp_path / "signals").read_text().split()[1::2]
    assert [int(mask, 16) & 0x7FFF_FFFF for mask in signals] == [0, 0]  # without libc's own
    assert (tmp_path / "files").read_text().split() == ["0", "1", "2", "3"]  # the last is ls's


# ------------------------------------------------------------------------------------ what is left

# One process in its group, one without any environment in a session of its own, and one that leaves
# everything behind.
LEAVES = f"""
import subprocess
quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
sleeps = [sys.executable, "-c", "import time; time.sleep(600)", sys.argv[-1]]
subprocess.Popen(sleeps, **quiet)
subprocess.Popen(sleeps, **quiet, env={{}}, start_new_session=True)
{PLAYS}
"""
STARTED = 4


def interrupt(one):
    def raises(*_):
        raise KeyboardInterrupt

    batch, lineup = games(TABLES[0], [one], 1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("selectors.PollSelector.select", raises)
        with pytest.raises(KeyboardInterrupt):
            lineup.decide(batch, np.arange(1))


@pytest.mark.parametrize("stop", [ProgramAgent.close, lambda one: None, interrupt])
def test_nothing_is_left_of_a_program_closed_forgotten_or_interrupted(stop):
    with agent(PLAYS) as first:  # what is opened once stays open
        forfeits(TABLES[0], first, most=1)
    before, others = descriptors(), len(running())
    one = agent(LEAVES)
    assert forfeits(TABLES[0], one, most=1) == []
    assert len(running()) == others + STARTED
    stop(one)
    del one
    gc.collect()
    assert _end(others)
    assert descriptors() == before


ARENA = """
import sys, time
from tests.arena.programs.small_programs import agent, forfeits
from tests.arena.programs.test_programs import LEAVES
from tests.contract.random_games import TABLES
one = agent(LEAVES)
assert forfeits(TABLES[0], one, most=1) == []
print("playing", flush=True)
time.sleep(600)
"""


def test_nothing_is_left_of_a_program_when_the_arena_is_killed():
    others = len(running())
    started_by = {**os.environ, "STARTED_BY_TEST": TOKEN}
    words = [sys.executable, "-c", ARENA]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=started_by) as arena:
        assert arena.stdout is not None
        assert arena.stdout.readline() == b"playing\n"
        assert len(running()) == others + STARTED
        arena.send_signal(signal.SIGKILL)
    assert _end(others)


def _end(others):
    """Whether all programs end soon but for the others; without a keeper the system ends them."""
    until = time.monotonic() + 20
    while len(running()) > others and time.monotonic() < until:
        time.sleep(0.01)
    return len(running()) == others


@pytest.mark.parametrize("how", ["SIGSTOP", "SIGKILL"])
def test_a_program_that_stops_or_kills_its_keeper_ends_nevertheless(how):
    others = len(running())
    one = agent(f"os.kill(os.getppid(), signal.{how})\n{PLAYS}")
    lost = forfeits(TABLES[0], one, most=1)
    assert how == "SIGKILL" or lost == []
    one.close()
    assert _end(others)


def test_a_program_has_few_variables_and_those_it_is_to_have(tmp_path, monkeypatch):
    def found(**more):
        body = f"open({str(tmp_path / 'found')!r}, 'w').write(json.dumps(dict(os.environ)))"
        with ProgramAgent(replace(program(f"{body}\n{PLAYS}"), **more)) as one:
            assert forfeits(TABLES[0], one, most=1) == []
        return json.loads((tmp_path / "found").read_text())

    monkeypatch.setenv("KEY_TO_ANOTHER_SERVICE", "secret")
    monkeypatch.setenv("SEED", "5")
    monkeypatch.delenv("TMPDIR", raising=False)
    bare = found()
    assert bare["PATH"] == os.environ["PATH"]
    assert bare.keys() <= {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE"}  # Python sets the last
    named = found(environment=["SEED", "WORDS=a=b", "HOME=/nowhere"])
    assert (named["SEED"], named["WORDS"], named["HOME"]) == ("5", "a=b", "/nowhere")
    assert "KEY_TO_ANOTHER_SERVICE" not in named
    monkeypatch.delenv("SEED")
    with pytest.raises(ValueError, match="the variable SEED, which is not set here: set it"):
        found(environment=["SEED"])


@pytest.mark.parametrize(
    ("make", "fault", "says"),
    [
        (lambda: Program("python3 mine.py"), TypeError, "give a list of texts, as in"),
        (lambda: Program([]), ValueError, "names no program"),
        (lambda: Program(["a"], environment="SEED=5"), TypeError, "give a list of texts"),
        (lambda: Program(["a"], environment=["=5"]), ValueError, "no variable: write NAME="),
        (lambda: Limits(seconds_a_game=math.inf), ValueError, "inf must be above 0, and finite"),
    ],
)
def test_what_is_no_program_is_named(make, fault, says):
    with pytest.raises(fault, match=says):
        make()


def test_a_digest_follows_command_limits_variables_and_files(tmp_path):
    folder, moved = tmp_path / "one", tmp_path / "moved"
    folder.mkdir()
    for name in ("mine.py", "weights"):
        (folder / name).write_text("1")
    first = Program(["python3", "mine.py", "weights"], QUICK, folder)
    digests = {
        program_digest(first),
        program_digest(replace(first, limits=Limits(seconds_a_move=1))),
        program_digest(replace(first, environment=["SEED=5"])),
        program_digest(replace(first, argv=[*first.argv, "--fast"])),
    }
    folder.rename(moved)
    digests.add(program_digest(replace(first, folder=moved)))
    assert len(digests) == 4
    (moved / "weights").write_text("2")
    assert program_digest(replace(first, folder=moved)) not in digests
