"""External programs get the right questions, lose by faults, and leave nothing behind."""

import gc
import json
import os
import random
import time
from dataclasses import replace

import numpy as np
import pytest

from shakespeare_agents.program_agent import ProgramAgent, move_request
from shakespeare_agents.programs import Limits, Program, program_digest
from shakespeare_env.play.information_sets import InformationSets
from tests.arena.small_programs import (
    PLAYS,
    QUICK,
    agent,
    descriptors,
    forfeits,
    games,
    program,
    running,
)
from tests.contract import knowledge
from tests.contract.each_table import small_tables
from tests.contract.random_games import TABLES, differing_fields, sample_positions, stack_records

ONE = next(table for table in TABLES if table.players == 1)
TWO = next(table for table in TABLES if table.players == 2)


def questions(table, records):
    """Return the questions about some positions, each to the seat that decides."""
    batch = table.batch(len(records), seed=0)
    batch.load(slice(None), stack_records(records))
    sets = InformationSets(batch, np.arange(len(records)))
    lines = [
        move_request(sets, place, number=17, game_id=4, seconds=2.5)
        for place in range(len(records))
    ]
    return [json.loads(line) for line in lines]


@small_tables
def test_a_question_holds_what_the_seat_may_know_and_nothing_hidden(table):
    hidden = knowledge.of(table.game, "hidden")
    rng = random.Random(8)
    games = sample_positions(table, seed=2, every=12)
    positions = [position for position in games if position.to_move is not None]
    records = [position.record() for position in positions]
    found = questions(table, records)
    for position, question in zip(positions, found, strict=True):
        seat = position.to_move
        assert seat is not None
        assert question == {
            "id": 17,
            "command": "move",
            "game_id": 4,
            "seat": seat,
            "seconds": 2.5,
            "position": position.game.seen_by(position.to_dict(), seat),
            "observation": position.observation(seat).tolist(),
            "moves": position.moves(),
        }
    changed = [hidden.change_in_record(record, int(record["to_move"]), rng) for record in records]
    assert questions(table, changed) == found
    assert len(differing_fields(stack_records(records), stack_records(changed))) > 1, (
        "nothing was hidden"
    )


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("sys.exit(3)", "crash"),
        ("os.close(1); time.sleep(60)", "crash"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crash"),
        ("os.close(0); time.sleep(60)", "crash"),
        ("time.sleep(60)", "time"),
        ("while True: os.write(2, b'never ready')", "time"),
        ("taken = bytearray(b'x') * 150_000_000; time.sleep(60)", "memory"),
        ("while True: write('[' * 1000)", "flood"),
        ("answer(question); answer(question)", "garbage"),
        ("write('x\\n')", "garbage"),
        ("answer(question, move='none')", "illegal"),
    ],
)
def test_every_fault_is_of_its_kind_and_no_process_is_left(body, kind):
    others = len(running())
    limits = Limits(seconds_a_move=1.0, megabytes=60, seconds_to_start=2.0)
    with agent(f"for question in questions():\n    {body}", limits) as one:
        ((found, details),) = forfeits(TWO, one)
    assert found == kind
    assert details
    assert len(running()) == others


def test_a_program_plays_several_games_and_hears_when_they_are_over(tmp_path):
    """Numbers of games and questions count for the program alone, and tell nothing about deals."""
    heard = tmp_path / "heard"
    body = f"""
heard = open({str(heard)!r}, "w")
for line in sys.stdin:
    question = json.loads(line)
    fields = [question.get(name) for name in ("command", "id", "game_id", "seconds")]
    print(json.dumps(fields), file=heard, flush=True)
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


def test_a_program_that_exceeds_its_time_for_a_game_loses_it():
    limits = Limits(seconds_a_move=20, seconds_a_game=0.3, seconds_to_start=20)
    with agent("for question in questions(): time.sleep(0.02); answer(question)", limits) as slow:
        assert forfeits(ONE, slow) == [("time", "it thought for longer than 0.3 s in one game")]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("print(question['moves'][0])", "does it flush"),
        ("write(question['moves'][0])", "without the newline"),
    ],
)
def test_a_program_whose_answer_never_arrives_is_told_why(body, told):
    limits = Limits(seconds_a_move=0.3, seconds_to_start=0.5)
    with agent(f"for question in questions():\n    {body}", limits) as silent:
        ((kind, details),) = forfeits(TWO, silent)
    assert kind == "time"
    assert told in details


def test_after_ten_faults_in_a_row_the_rest_of_a_step_is_lost_unasked(tmp_path):
    begun = tmp_path / "begun"
    with agent(f"open({str(begun)!r}, 'a').write('x'); sys.exit(3)") as fails:
        lost = forfeits(ONE, fails, n=12)
    assert begun.read_text() == "x" * 10
    assert lost[:10] == [("crash", "it ended with exit code 3")] * 10
    assert lost[10:] == [("crash", "it was not asked any more after 10 faults in a row")] * 2


# ----------------------------------------------------------------------------- leftover processes

STARTS_A_CHILD = f"""
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[-1]])
{PLAYS}
"""
STARTED = 2
"""The processes of such a program: itself and its child."""


def interrupt(agent_asked):
    def raise_interrupt(*_):
        raise KeyboardInterrupt

    batch, lineup = games(TABLES[0], [agent_asked], 1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("selectors.PollSelector.select", raise_interrupt)
        with pytest.raises(KeyboardInterrupt):
            lineup.decide(batch, np.arange(1))


@pytest.mark.parametrize("stop", [ProgramAgent.close, lambda one: None, interrupt])
def test_nothing_is_left_of_a_program_closed_forgotten_or_interrupted(stop):
    with agent(PLAYS) as first:  # opens files that this process keeps open
        forfeits(TABLES[0], first, most=1)
    before = descriptors()
    others = len(running())
    one = agent(STARTS_A_CHILD)
    assert forfeits(TABLES[0], one, most=1) == []
    assert _soon_running(others + STARTED)
    stop(one)
    del one
    gc.collect()
    assert _soon_running(others)
    assert descriptors() == before


def _soon_running(number):
    """Return whether this number of programs runs within seconds, as processes come and go."""
    until = time.monotonic() + 20
    while len(running()) != number and time.monotonic() < until:
        time.sleep(0.01)
    return len(running()) == number


def test_a_program_has_few_environment_variables_and_those_of_its_entry(tmp_path, monkeypatch):
    def environment_found(**more):
        body = f"open({str(tmp_path / 'found')!r}, 'w').write(json.dumps(dict(os.environ)))"
        with ProgramAgent(replace(program(f"{body}\n{PLAYS}"), **more)) as one:
            assert forfeits(TABLES[0], one, most=1) == []
        return json.loads((tmp_path / "found").read_text())

    monkeypatch.setenv("KEY_TO_ANOTHER_SERVICE", "secret")
    monkeypatch.setenv("SEED", "5")
    monkeypatch.delenv("TMPDIR", raising=False)
    bare = environment_found()
    assert bare["PATH"] == os.environ["PATH"]
    assert bare.keys() <= {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE"}  # Python sets the last
    named = environment_found(environment=["SEED", "WORDS=a=b", "HOME=/nowhere"])
    assert (named["SEED"], named["WORDS"], named["HOME"]) == ("5", "a=b", "/nowhere")
    assert "KEY_TO_ANOTHER_SERVICE" not in named
    monkeypatch.delenv("SEED")
    with pytest.raises(ValueError, match="the environment variable SEED, which is not set; set it"):
        environment_found(environment=["SEED"])


def test_a_digest_follows_command_limits_variables_and_files(tmp_path):
    folder = tmp_path / "one"
    moved = tmp_path / "moved"
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
