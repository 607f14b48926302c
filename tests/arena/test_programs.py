"""External programs: what they are asked and what becomes of them; for faults see test_hostile."""

from __future__ import annotations

import gc
import json
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

from shakespeare_agents.arena import evaluate
from shakespeare_agents.arena.faults import Fault
from shakespeare_agents.arena.programs import (
    Limits,
    Program,
    ProgramAgent,
    ProgramError,
    program_digest,
)
from shakespeare_agents.arena.programs.kept import Kept
from shakespeare_agents.arena.programs.questions import action_in, question
from shakespeare_env.errors import ArenaError
from shakespeare_env.information_sets import InformationSets
from tests.arena.programs import (
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
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import TABLES, differing_fields, sampled, stacked

MOVES = {"draft:hamlet": 3, "draft:viola": 5}


def asked(games, place=0, **changed):
    told = {"number": 17, "game_id": 4, "seconds": 2.5, **changed}
    return json.loads(question(games, place, **told))


# -------------------------------------------------------------------------------------- questions


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_question_is_a_seat_s_view_of_the_game(table):
    for position in sampled(table, seed=1, every=40):
        if position.to_move is None:
            continue
        batch = table.batch(1, seed=0)
        batch.load([0], stacked([position.record()]))
        seat = position.to_move
        assert asked(InformationSets(batch, np.array([0]))) == {
            "id": 17,
            "command": "move",
            "game_id": 4,
            "seat": seat,
            "seconds": 2.5,
            "position": position.game.seen_by(position.to_dict(), seat),
            "observation": position.observation(seat).tolist(),
            "moves": position.moves(),
        }


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_nothing_in_a_question_depends_on_what_the_seat_may_not_know(table):
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(8)
    records = [p.record() for p in sampled(table, seed=2, every=12) if p.to_move is not None]
    changed = [hidden.change_in_record(r, int(r["to_move"]), rng) for r in records]
    shown = []
    for games_shown in (records, changed):
        batch = table.batch(len(records), seed=0)
        batch.load(slice(None), stacked(games_shown))
        sets = InformationSets(batch, np.arange(len(records)))
        shown.append([asked(sets, place) for place in range(len(records))])
    assert shown[0] == shown[1]
    assert len(differing_fields(stacked(records), stacked(changed))) > 1, "nothing was hidden"


# ---------------------------------------------------------------------------------------- answers


def judged(text):
    """The fault of an answer to question 17."""
    with pytest.raises(ProgramError) as caught:
        action_in(text if isinstance(text, bytes) else text.encode(), 17, MOVES)
    return caught.value.fault


def test_an_answer_chooses_a_move():
    assert action_in(b'{"id": 17, "move": "draft:viola"}', 17, MOVES) == 5
    assert action_in(b' {"move":"draft:hamlet","id":17}\r', 17, MOVES) == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "its answer is not JSON"),
        ("draft:viola", "its answer is not JSON"),
        (b"\xff", "its answer is not UTF-8"),
        ('{"id": 17, "move": NaN}', "not finite"),
        ("[" * 5000, "nests deeper"),
        ('{"id": 17, "id": 17, "move": "draft:viola"}', "stands twice"),
        ("[17]", "its answer is an array, not an object"),
        ('{"move": "draft:viola"}', "in its answer: the field 'id' is missing"),
        ('{"id": 17}', "in its answer: the field 'move' is missing"),
        ('{"id": 16, "move": "draft:viola"}', "id=16 must be 17, as in the question"),
        ('{"id": "17", "move": "draft:viola"}', 'id="17" must be 17'),
        ('{"id": true, "move": "draft:viola"}', "id=true must be"),
        ('{"id": 17, "move": 5}', "move=5 must be a string"),
        ('{"id": 17, "move": ["draft:viola"]}', "must be a string"),
        ('{"id": 17, "mvoe": "draft:viola"}', 'no field "mvoe"; the fields here: id, move'),
    ],
)
def test_what_is_no_answer_is_garbage(text, says):
    fault = judged(text)
    assert fault.kind == "garbage"
    assert says in fault.details


@pytest.mark.parametrize("move", ["", "draft:lear", "DRAFT:VIOLA", "draft:viola ", "\ud800", "\0"])
def test_what_is_no_legal_move_is_illegal(move):
    shown = json.dumps(move)
    legal = f"{shown} is not legal; legal: draft:hamlet, draft:viola"
    assert judged(json.dumps({"id": 17, "move": move})) == Fault("illegal", legal)


# ---------------------------------------------------------------------------------------- playing


def test_a_program_plays_several_games_and_is_told_when_they_are_over(tmp_path):
    """Numbers of games and questions are its own: they tell nothing of deals and opponents."""
    heard = tmp_path / "heard"
    body = f"""
heard = open({str(heard)!r}, "w")
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps([question.get(name) for name in ("command", "id", "game_id")]), file=heard)
    heard.flush()
    if question["command"] == "move":
        answer(question)
"""
    table = next(table for table in TABLES if table.players == 2)
    with agent(body) as one:
        assert forfeits(table, one, n=2) == []
        first = [json.loads(line) for line in heard.read_text().splitlines()]
        assert forfeits(table, one, n=1) == []
    lines = [json.loads(line) for line in heard.read_text().splitlines()]
    assert [number for _, number, _ in first] == list(range(1, len(first) + 1))
    assert {game for _, _, game in first} == {1, 2}
    assert lines[len(first) :][:2] == [["end", None, 1], ["end", None, 2]]
    assert {game for _, _, game in lines[len(first) + 2 :]} == {3}


@small_tables
def test_without_a_referee_its_fault_is_raised(table):
    with agent(PLAYS) as plays:
        evaluate([plays, "random"], table.game, games=1, players=table.players)
    with agent("questions().__next__(); sys.exit(3)") as fails:
        with pytest.raises(ProgramError, match="crash: it ended with exit code 3") as caught:
            evaluate([fails, "random"], table.game, games=1, players=table.players)
        assert "ProgramAgent" in caught.value.__notes__[0]


@full_tables
def test_seconds_are_those_that_it_thought(table):
    with agent("for question in questions(): time.sleep(0.05); answer(question)") as slow:
        batch, lineup = games(table, [slow], 2)
        actions = lineup.decide(batch, np.arange(2))
        assert batch.mask[np.arange(2), actions].all()
        lineup.decide(batch, np.arange(2))
    movers = lineup.thinking.seconds[np.arange(2), batch.to_move]
    # The first answer of all came while it was allowed to start.
    assert movers[0] >= 0.05
    assert movers[1] >= 0.10
    assert lineup.thinking.seconds.sum() == movers.sum()


def test_a_program_has_its_time_for_a_game_and_not_more():
    limits = Limits(seconds_a_move=20, seconds_a_game=0.3, seconds_to_start=20)
    table = next(table for table in TABLES if table.players == 1)
    body = "for question in questions(): time.sleep(0.02); answer(question)"
    with agent(body, limits) as slow:
        ((kind, details),) = forfeits(table, slow)
    assert kind == "time"
    assert details == "it thought for longer than 0.3 s in one game"


def test_an_answer_counts_though_its_program_has_ended_meanwhile(monkeypatch):
    """While the arena looks at memory, after the question was written."""

    def look(self):
        time.sleep(0.3)
        return 0

    monkeypatch.setattr(Kept, "resident_bytes", look)
    with agent("for question in questions(): answer(question); sys.exit(0)") as one:
        assert forfeits(TABLES[0], one, most=1) == []


def test_it_is_told_how_long_it_may_think():
    limits = Limits(seconds_a_move=20, seconds_a_game=30, seconds_to_start=20)
    body = """
for question in questions():
    assert question["seconds"] == 20
    answer(question)
"""
    table = next(table for table in TABLES if table.players == 1)
    with agent(body, limits) as one:
        assert forfeits(table, one, most=3) == []


def test_after_ten_faults_in_a_row_the_rest_of_a_step_is_lost_unasked(tmp_path):
    begun = tmp_path / "begun"
    table = next(table for table in TABLES if table.players == 1)
    with agent(f"open({str(begun)!r}, 'a').write('x'); sys.exit(3)") as fails:
        lost = forfeits(table, fails, n=13)
    assert begun.read_text() == "x" * 10
    said = "it ended with exit code 3"
    assert lost[:10] == [("crash", said)] * 10
    after = f"it was not asked any more after 10 faults in a row, the last of them: {said}"
    assert lost[10:] == [("crash", after)] * 3


def test_who_fails_is_started_anew_for_the_next_game(tmp_path):
    body = f"""
begun = {str(tmp_path)!r} + "/begun"
open(begun, "a").write("x")
for question in questions():
    if open(begun).read() == "x":
        raise SystemExit("the first time")
    answer(question)
"""
    table = next(table for table in TABLES if table.players == 2)
    with agent(body) as one:
        ((kind, details),) = forfeits(table, one, n=3)
    assert kind == "crash"
    assert details == "it ended with exit code 1; standard error ended with:\nthe first time"
    assert (tmp_path / "begun").read_text() == "xx"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells of them there")
def test_it_starts_with_no_signal_ignored_and_nobody_else_s_files(tmp_path):
    """Python ignores some, which what it starts would inherit."""
    look = "grep -E 'Sig(Blk|Ign)' /proc/self/status > signals; ls /proc/self/fd > files"
    with ProgramAgent(Program(["sh", "-c", look], QUICK, tmp_path)) as one:
        ((kind, details),) = forfeits(TABLES[0], one)
    assert (kind, details) == ("crash", "it ended with exit code 0")
    signals = (tmp_path / "signals").read_text().split()[1::2]
    assert [int(mask, 16) & 0x7FFF_FFFF for mask in signals] == [0, 0]  # without libc's own
    assert (tmp_path / "files").read_text().split() == ["0", "1", "2", "3"]  # the last is ls's


def test_it_runs_in_its_folder_with_a_path_of_its_own(tmp_path):
    (tmp_path / "mine.py").write_text("import json, sys\n" + program(PLAYS).argv[-2])
    table = next(table for table in TABLES if table.players == 1)
    with ProgramAgent(Program([sys.executable, "mine.py"], QUICK, tmp_path)) as one:
        assert forfeits(table, one, most=2) == []


# ------------------------------------------------------------------------------------ what is left

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
"""Starts a process in its group, one without any environment in a session of its own, and one that
leaves everything behind."""
STARTED = 4


def left_by(stop):
    """How many processes and descriptors a program leaves that was asked once and then stopped."""
    table = TABLES[0]
    with agent(PLAYS) as first:  # what is opened once stays open
        forfeits(table, first, most=1)
    before, others = descriptors(), len(running())
    one = agent(LEAVES)
    assert forfeits(table, one, most=1) == []
    assert len(running()) == others + STARTED
    stop(one)
    del one
    gc.collect()
    return len(running()) - others, descriptors() - before


@pytest.mark.parametrize(
    "stop", [ProgramAgent.close, lambda one: None], ids=["closed", "forgotten"]
)
def test_nothing_is_left_of_a_program(stop):
    assert left_by(stop) == (0, 0)


def test_an_interruption_ends_the_program(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    def stop(one):
        table = TABLES[0]
        batch, lineup = games(table, [one], 1)
        with monkeypatch.context() as patched:
            patched.setattr("selectors.PollSelector.select", interrupt)
            with pytest.raises(KeyboardInterrupt):
                lineup.decide(batch, np.arange(1))

    assert left_by(stop) == (0, 0)


ARENA = """
import sys, time
from tests.arena.programs import agent, forfeits
from tests.arena.test_programs import LEAVES
from tests.contract.random_games import TABLES
one = agent(LEAVES)
assert forfeits(TABLES[0], one, most=1) == []
print("playing", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("number", ["SIGHUP", "SIGQUIT", "SIGKILL"])
def test_nothing_is_left_of_a_program_when_the_arena_is_killed(number):
    """Also by what leaves no time to end it."""
    others = len(running())
    started_by = {**os.environ, "STARTED_BY_TEST": TOKEN}
    words = [sys.executable, "-c", ARENA]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=started_by) as arena:
        assert arena.stdout is not None
        assert arena.stdout.readline() == b"playing\n"
        assert len(running()) == others + STARTED
        arena.send_signal(getattr(signal, number))
    until = time.monotonic() + 20
    while len(running()) > others and time.monotonic() < until:
        time.sleep(0.01)
    assert len(running()) == others


def test_a_program_that_stops_its_keeper_ends_nevertheless():
    body = f"os.kill(os.getppid(), signal.SIGSTOP)\n{PLAYS}"
    one, others = agent(body), len(running())
    assert forfeits(TABLES[0], one, most=1) == []
    one.close()
    assert len(running()) == others


def test_a_program_that_kills_its_keeper_ends_nevertheless():
    body = f"os.kill(os.getppid(), signal.SIGKILL)\n{PLAYS}"
    one, others = agent(body), len(running())
    forfeits(TABLES[0], one, most=1)
    one.close()
    assert len(running()) == others


# ------------------------------------------------------------------------------------ environment


def environment_in(tmp_path, **more):
    """What a program finds in its environment."""
    body = f"open({str(tmp_path / 'found')!r}, 'w').write(json.dumps(dict(os.environ)))\n{PLAYS}"
    with ProgramAgent(replace(program(body), **more)) as one:
        assert forfeits(TABLES[0], one, most=1) == []
    return json.loads((tmp_path / "found").read_text())


def test_a_program_has_few_variables_and_those_it_is_to_have(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY_TO_ANOTHER_SERVICE", "secret")
    monkeypatch.setenv("SEED", "5")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("TMPDIR", raising=False)
    found = environment_in(tmp_path)
    assert found["PATH"] == os.environ["PATH"]
    assert found.keys() <= {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE"}  # Python sets the last
    found = environment_in(tmp_path, environment=["SEED", "WORDS=a=b", "HOME=/nowhere"])
    assert (found["SEED"], found["WORDS"], found["HOME"]) == ("5", "a=b", "/nowhere")
    assert "KEY_TO_ANOTHER_SERVICE" not in found


def test_a_variable_that_is_not_set_is_named(monkeypatch):
    monkeypatch.delenv("SEED", raising=False)
    says = pytest.raises(ValueError, match="the variable SEED, which is not set here: set it")
    with ProgramAgent(replace(program(PLAYS), environment=["SEED"])) as one, says:
        forfeits(TABLES[0], one, most=1)


@pytest.mark.parametrize(
    ("given", "fault", "says"),
    [
        ("SEED=5", TypeError, "give a list of texts"),
        ([5], TypeError, "give a list of texts"),
        (["=5"], ValueError, "'=5' is no variable: write NAME=VALUE"),
        ([""], ValueError, "is no variable"),
        (["A=b\0"], ValueError, "is no variable"),
        (["A=\ud800"], ValueError, "is no variable"),
    ],
)
def test_a_wrong_variable_is_named(given, fault, says):
    with pytest.raises(fault, match=says):
        Program(["mine"], environment=given)


# ------------------------------------------------------------------------------- what a program is


@pytest.mark.parametrize(
    ("limit", "fault", "says"),
    [
        ({"seconds_a_move": 0}, ValueError, "seconds_a_move=0 must be above 0"),
        ({"seconds_a_game": float("inf")}, ValueError, "seconds_a_game=inf must be above 0"),
        ({"megabytes": float("nan")}, ValueError, "megabytes=nan must be above 0, and finite"),
        ({"megabytes": "many"}, TypeError, "megabytes='many' must be a number"),
        ({"seconds_to_start": True}, TypeError, "seconds_to_start=True must be a number"),
    ],
)
def test_a_wrong_limit_is_named(limit, fault, says):
    with pytest.raises(fault, match=says):
        Limits(**limit)


@pytest.mark.parametrize(
    ("argv", "fault", "says"),
    [
        ("python3 mine.py", TypeError, "give a list of texts, as in"),
        ([1], TypeError, "give a list of texts"),
        ([], ValueError, "names no program"),
        ([""], ValueError, "names no program"),
        (["a", "b\0"], ValueError, "is no argument"),
        (["a", "\ud800"], ValueError, "is no argument"),
    ],
)
def test_a_wrong_command_is_named(argv, fault, says):
    with pytest.raises(fault, match=says):
        Program(argv)


def test_windows_is_refused_in_words(monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(ArenaError, match="mine: programs play on Linux and macOS"):
        ProgramAgent(Program(["mine"]))


def test_a_digest_follows_command_limits_and_files(tmp_path):
    (tmp_path / "mine.py").write_text("1")
    (tmp_path / "weights").write_text("1")
    command = ["python3", "mine.py", "weights"]

    def digest(argv=command, limits=QUICK, folder=tmp_path):
        return program_digest(Program(argv, limits, folder))

    first = digest()
    assert digest() == first
    assert digest(limits=Limits(seconds_a_move=1)) != first
    assert program_digest(Program(command, QUICK, tmp_path, ["SEED=5"])) != first
    assert digest(["python3", "mine.py", "weights", "--fast"]) != first
    (tmp_path / "weights").write_text("2")
    assert digest() != first
    (tmp_path / "weights").write_text("1")
    assert digest() == first
    moved = tmp_path.with_name("moved")
    tmp_path.rename(moved)
    assert digest(folder=moved) == first
    assert digest(["x" * 5000])
