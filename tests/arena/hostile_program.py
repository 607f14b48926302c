"""A program that answers at random: rightly, or with a fault of every kind.

How it answers a question is drawn from a seed and the question's number, so that whoever asks knows
what to expect. Some faults come before a question is read: a file holds the number of the last one,
whichever process answered it.
"""

import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable

AFTER: dict[str, Callable[..., None]] = {}
BEFORE: dict[str, Callable[..., None]] = {}
"""What it may do, by name: after it has read a question, and before it reads one."""
KINDS: dict[str, str] = {}
WEIGHTS: dict[str, float] = {}
"""By name: the kind of fault, none for a right answer; how often."""
IN_TURN = "in turn"
"""In place of a seed: everything in turn, of what takes time one thing."""
_LONG = 60
"""Seconds; until then somebody has to end it."""
_GAP = 0.3
"""Seconds after which what is written counts for the next question."""


def does(kind, weight=1.0, group=AFTER):
    def kept(function):
        name = function.__name__
        group[name], KINDS[name], WEIGHTS[name] = function, kind, weight
        return function

    return kept


def plan(seed, number):
    """What it does about a question."""
    if seed == IN_TURN:
        names = in_turn()
        return names[number % len(names)]
    return random.Random(f"{seed}/{number}").choices([*WEIGHTS], [*WEIGHTS.values()])[0]


def in_turn():
    return [name for name, kind in KINDS.items() if kind != "time" or name == "hang"]


def write(data):
    while data:
        data = data[os.write(1, data) :]


def line(question, **changed):
    answer = {"id": question["id"], "move": question["moves"][0], **changed}
    return json.dumps(answer).encode() + b"\n"


def says(kind, weight=1.0):
    """What it writes instead of an answer."""

    def kept(function):
        def writes(question):
            write(function(question))
            time.sleep(_LONG)

        writes.__name__ = function.__name__
        return does(kind, weight)(writes)

    return kept


# ------------------------------------------------------------------------------------------- right


@does("", 20)
def right(question):
    write(line(question))


@does("", 3)
def right_at_length(question):
    time.sleep(0.05)
    write(b"  " + line(question).rstrip() + b" \r\n")


@does("", 3)
def right_in_pieces(question):
    for byte in line(question):
        write(bytes([byte]))
        time.sleep(0.0005)


@does("", 3)
def right_after_much_on_standard_error(question):
    os.write(2, b"\x1b[31mred " * 30_000)
    write(line(question))


@does("", 3)
def right_with_a_child_that_leaves_everything_behind(question):
    if os.fork() == 0:
        os.setsid()
        os.closerange(0, 3)
        if os.fork() == 0:
            time.sleep(_LONG)
        os._exit(0)
    os.wait()
    write(line(question))


# ------------------------------------------------------------------------------------------ crash


@does("crash")
def exit_0(question):
    os._exit(0)


@does("crash")
def exit_7(question):
    os._exit(7)


@does("crash")
def exception(question):
    raise LookupError("\x1b[31mred\udc80")


@does("crash")
def segmentation_fault(question):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), signal.SIGSEGV)


@does("crash")
def killed(question):
    os.kill(os.getpid(), signal.SIGKILL)


@does("crash")
def half_a_line_and_exit(question):
    write(line(question)[:7])
    os._exit(0)


@does("crash")
def whole_line_but_its_end_and_exit(question):
    write(line(question).rstrip())
    os._exit(0)


@does("crash")
def closed_output(question):
    os.close(1)
    time.sleep(_LONG)


@does("crash")
def exit_while_a_child_holds_the_pipes(question):
    if os.fork() == 0:
        time.sleep(_LONG)
    os._exit(0)


@does("crash")
def exit_while_a_child_of_its_own_session_holds_the_pipes(question):
    if os.fork() == 0:
        os.setsid()
        time.sleep(_LONG)
    os._exit(0)


@does("crash", group=BEFORE)
def exit_unasked():
    os._exit(0)


@does("crash", group=BEFORE)
def exit_unasked_with_words():
    os.write(2, b"I am off\n")
    os._exit(3)


@does("crash", group=BEFORE)
def closed_output_unasked():
    os.close(1)
    time.sleep(_LONG)


@does("crash", group=BEFORE)
def closed_all_unasked():
    os.closerange(0, 3)
    time.sleep(_LONG)


# ------------------------------------------------------------------------------------------- time


@does("time", 0.3)
def hang(question):
    time.sleep(_LONG)


@does("time", 0.2)
def hang_deaf_to_signals(question):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(_LONG)


@does("time", 0.2)
def busy(question):
    until = time.monotonic() + _LONG
    while time.monotonic() < until:
        pass


@does("time", 0.2)
def stopped(question):
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(_LONG)


@does("time", 0.2)
def half_a_line_and_hang(question):
    write(line(question)[:7])
    time.sleep(_LONG)


@does("time", 0.2)
def byte_by_byte_for_ever(question):
    while True:
        write(b" ")
        time.sleep(0.01)


@does("time", 0.2)
def standard_error_for_ever(question):
    while True:
        os.write(2, b"never ready\n" * 1000)


@does("time", 0.2, group=BEFORE)
def hang_unasked():
    time.sleep(_LONG)


# ----------------------------------------------------------------------------------------- memory


def hog():
    taken = bytearray(150_000_000)
    taken[::1000] = b"x" * len(taken[::1000])
    time.sleep(_LONG)


@does("memory")
def memory(question):
    hog()


@does("memory")
def memory_of_a_child(question):
    if os.fork() == 0:
        hog()
    time.sleep(_LONG)


@does("memory")
def memory_of_a_child_that_leaves_everything_behind(question):
    if os.fork() == 0:
        os.setsid()
        os.closerange(0, 3)
        if os.fork() == 0:
            hog()
        os._exit(0)
    os.wait()
    time.sleep(_LONG)


# ------------------------------------------------------------------------------------------ flood


@says("flood")
def flood_without_end_of_line(question):
    return b"x" * 10**6


@says("flood")
def flood_of_lines(question):
    return b"x\n" * 10**6


@says("flood")
def flood_after_the_answer(question):
    return line(question) + b"x\n" * 10**6


@says("flood")
def huge_answer(question):
    return line(question).replace(b" ", b" " * 100_000)


@does("flood")
def flood_for_ever(question):
    while True:
        write(b"[" * 1000)


@does("flood", group=BEFORE)
def flood_unasked():
    time.sleep(_GAP)
    write(b"x\n" * 10**6)
    time.sleep(_LONG)


# ---------------------------------------------------------------------------------------- garbage


@does("garbage", group=BEFORE)
def line_unasked():
    time.sleep(_GAP)
    write(b"ready\n")
    time.sleep(_LONG)


@says("garbage")
def two_lines(question):
    return line(question) * 2


@says("garbage")
def one_and_a_half_lines(question):
    return line(question) + b"{"


@says("garbage")
def empty_line(question):
    return b"\n"


@says("garbage")
def not_json(question):
    return question["moves"][0].encode() + b"\n"


@says("garbage")
def not_utf_8(question):
    return line(question, move="\xe9").replace(b"\\u00e9", b"\xe9")


@says("garbage")
def utf_16(question):
    return line(question).decode().strip().encode("utf-16") + b"\n"


@says("garbage")
def zeros(question):
    return b"\0" * 50 + b"\n"


@says("garbage")
def nan(question):
    return line(question, move=float("nan"))


@says("garbage")
def deep(question):
    return b"[" * 20_000 + b"]" * 20_000 + b"\n"


@says("garbage")
def digits(question):
    return b'{"id": ' + b"9" * 5000 + b"}\n"


@says("garbage")
def twice_the_same_key(question):
    return line(question).replace(b"{", b'{"id": 0, ')


@says("garbage")
def no_object(question):
    return random.choice((b"[]", b"17", b"null", b'"pass"', b"true")) + b"\n"


@says("garbage")
def no_fields(question):
    return b"{}\n"


@says("garbage")
def other_field(question):
    return line(question, comment="mate in 3")


@says("garbage")
def wrong_number(question):
    number = question["id"]
    return line(question, id=random.choice((number + 1, -number, str(number), number + 0.5, None)))


@says("garbage")
def number_true(question):
    return line(question, id=True)


@says("garbage")
def move_of_another_type(question):
    return line(question, move=random.choice((0, None, question["moves"], {}, True)))


# ---------------------------------------------------------------------------------------- illegal


@says("illegal")
def no_such_move(question):
    return line(question, move=random.choice(("", "resign", "\ud800", "\0", "x" * 10_000)))


@says("illegal")
def nearly_a_move(question):
    move = question["moves"][0]
    return line(question, move=random.choice((move + " ", move.upper(), move[:-1], move + "\n")))


@says("illegal")
def number_of_a_move(question):
    return line(question, move="0")


# ----------------------------------------------------------------------------------------- running


def main(seed, path):
    counter = os.open(path, os.O_RDWR)
    number = int(os.read(counter, 20) or 0)

    def note():
        os.pwrite(counter, b"%20d" % number, 0)

    while True:
        unasked = BEFORE.get(plan(seed, number + 1))
        if unasked is not None:
            number += 1
            note()
            unasked()
        asked = sys.stdin.buffer.readline()
        if not asked:
            break
        question = json.loads(asked)
        if question["command"] != "move":
            continue
        number = question["id"]
        note()
        AFTER[plan(seed, number)](question)


if __name__ == "__main__":
    main(*sys.argv[1:3])  # more only names it
