"""A program that answers at random: rightly, or with a fault of every kind.

How it answers a question is drawn from a seed and the question's number, so that whoever asks knows
what to expect. Some faults come before a question is read: a file holds the number of the last one,
whichever process answered it.
"""

import json
import os
import random
import resource
import signal  # noqa: F401 - the table below names it
import sys
import time

IN_TURN = "in turn"
"""In place of a seed: everything in turn, of what takes time one thing."""
_LONG = 60
"""Seconds; until then somebody has to end it."""
_GAP = 0.3
"""Seconds after which what is written counts for the next question."""

_LEAVES = "os.fork() or (os.setsid(), os.closerange(0, 3), os.fork() or {}(), os._exit(0))"
"""A child that leaves everything behind starts another one, which acts."""
_AFTER = {
    "": {
        "right": "write(line())",
        "right_in_pieces": "for byte in line(b'  '): write(bytes([byte])); time.sleep(0.0005)",
        "right_after_many_errors": r"os.write(2, b'\x1b[31mred ' * 30_000); write(line())",
        "right_with_a_child_left": _LEAVES.format("sleep") + "; os.wait(); write(line())",
    },
    "crash": {
        "exit_0": "os._exit(0)",
        "exception": r"raise LookupError('\x1b[31mred\udc80')",
        "segmentation_fault": "os.kill(os.getpid(), signal.SIGSEGV)",
        "whole_line_but_its_end": "write(line().rstrip()); os._exit(0)",
        "closed_output": "os.close(1)",
        "exit_while_a_child_holds_the_pipes": "os.fork() or sleep(); os._exit(0)",
        "exit_while_a_session_holds_them": "os.fork() or (os.setsid(), sleep()); os._exit(0)",
    },
    "time": {
        "hang": "for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)",
        "busy": "while True: pass",
        "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
        "half_a_line": "write(line()[:7])",
        "byte_by_byte_for_ever": "while True: write(b' '); time.sleep(0.01)",
        "standard_error_for_ever": r"while True: os.write(2, b'never ready\n' * 1000)",
    },
    "memory": {
        "memory": "hog()",
        "memory_of_a_child": "os.fork() or hog()",
        "memory_of_a_child_left": _LEAVES.format("hog") + "; os.wait()",
    },
    "flood": {
        "flood_for_ever": "while True: write(b'[' * 1000)",
        "flood_of_lines": r"write(b'x\n' * 10**6)",
        "flood_after_the_answer": r"write(line() + b'x\n' * 10**6)",
        "huge_answer": "write(line().replace(b' ', b' ' * 100_000))",
    },
    "garbage": {
        "two_lines": "write(line() * 2)",
        "one_and_a_half_lines": "write(line() + b'{')",
        "empty_line": r"write(b'\n')",
        "not_json": r"write(move.encode() + b'\n')",
        "not_utf_8": r"write(line(move='@').replace(b'@', b'\xe9'))",
        "utf_16": r"write(line().decode().strip().encode('utf-16') + b'\n')",
        "zeros": r"write(b'\0' * 50 + b'\n')",
        "nan": "write(line(move=float('nan')))",
        "deep": r"write(b'[' * 20_000 + b']' * 20_000 + b'\n')",
        "digits": r"""write(b'{"id": ' + b'9' * 5000 + b'}\n')""",
        "twice_the_same_key": """write(line().replace(b'{', b'{"id": 0, '))""",
        "no_object": r"write(any_of(b'[]', b'17', b'null', b'true', b'{}') + b'\n')",
        "other_field": "write(line(comment='mate in 3'))",
        "wrong_number": "write(line(id=any_of(number + 1, -number, str(number), number + 0.5)))",
        "number_true": "write(line(id=True))",
        "move_of_another_type": "write(line(move=any_of(0, None, [move], {}, True)))",
    },
    "illegal": {
        "no_such_move": r"write(line(move=any_of('', '0', '\ud800', '\0', 'x' * 10_000)))",
        "nearly_a_move": r"write(line(move=any_of(move + ' ', move[:-1], move + '\n')))",
    },
}
_BEFORE = {
    "crash": {
        "exit_unasked_with_words": r"os.write(2, b'I am off\n'); os._exit(3)",
        "closed_output_unasked": "os.close(1)",
        "closed_all_unasked": "os.closerange(0, 3)",
    },
    "time": {"hang_unasked": ""},
    "flood": {"flood_unasked": r"time.sleep(_GAP); write(b'x\n' * 10**6)"},
    "garbage": {"line_unasked": r"time.sleep(_GAP); write(b'ready\n')"},
}
"""Python by kind of fault, none for a right answer, and name; each fault waits when it is done."""
KINDS = {name: kind for group in (_AFTER, _BEFORE) for kind in group for name in group[kind]}
_WEIGHTS = {"": 8.0, "time": 0.25}
"""How often; everything else 1."""


def plan(seed, number):
    """What it does about a question."""
    if seed == IN_TURN:
        names = in_turn()
        return names[number % len(names)]
    weights = [_WEIGHTS.get(kind, 1.0) for kind in KINDS.values()]
    return random.Random(f"{seed}/{number}").choices([*KINDS], weights)[0]


def in_turn():
    return [name for name, kind in KINDS.items() if kind != "time" or name == "hang"]


def write(data):
    while data:
        data = data[os.write(1, data) :]


def sleep():
    time.sleep(_LONG)


def hog():
    taken = bytearray(150_000_000)
    taken[::1000] = b"x" * len(taken[::1000])
    sleep()


def any_of(*choices):
    return random.choice(choices)


def act(code, question):
    """Run what it does about a question, if it has read one."""
    number, move = question.get("id"), question.get("moves", [""])[0]

    def line(space=b"", **changed):
        answer = json.dumps({"id": number, "move": move, **changed}).encode()
        return space + answer + (b" \r\n" if space else b"\n")

    try:
        exec(code, globals() | {"number": number, "move": move, "line": line})
    except (NameError, AttributeError, TypeError):  # a mistake in the table is no crash
        write(line())


def main(seed, path):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    counter = os.open(path, os.O_RDWR)
    number = int(os.read(counter, 20) or 0)
    while True:
        name = plan(seed, number + 1)
        unasked = _BEFORE.get(KINDS[name], {}).get(name)
        if unasked is not None:
            os.pwrite(counter, b"%20d" % (number + 1), 0)
            act(unasked, {})
            sleep()
        asked = sys.stdin.buffer.readline()
        if not asked:
            break
        question = json.loads(asked)
        if question["command"] != "move":
            continue
        number = question["id"]
        os.pwrite(counter, b"%20d" % number, 0)
        name = plan(seed, number)
        act(_AFTER[KINDS[name]][name], question)
        if KINDS[name]:
            sleep()


if __name__ == "__main__":
    main(*sys.argv[1:3])  # more only names it
