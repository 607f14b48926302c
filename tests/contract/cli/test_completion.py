"""Completion of commands in the shell."""

from __future__ import annotations

import json

from shakespeare_env.cli import COMMANDS
from tests.contract.processes import run_script


def asked_by_bash(*words):
    """Return the variables that Bash sets; the last word is what has been typed of it."""
    told = {"COMP_WORDS": "\n".join(["shakespeare", *words]), "COMP_CWORD": str(len(words))}
    return {**told, "_SHAKESPEARE_COMPLETE": "complete_bash"}


ASKING = """
import contextlib, io, json, os, sys
from shakespeare_env.cli import app
for asked, arguments in json.loads(sys.argv[1]):
    os.environ.update(asked)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            app(arguments, prog_name="shakespeare")
        except SystemExit as left:
            assert not left.code, (asked, arguments)
    for variable in asked:
        del os.environ[variable]
    slow = {"numba", "torch", "polars", "matplotlib"} & {*sys.modules}
    assert not slow, (asked, arguments, slow)
"""


def test_neither_completing_nor_help_imports_the_compiler_or_torch():
    calls: list[tuple[dict[str, str], list[str]]] = [({}, ["--help"]), ({}, ["--version"])]
    for command in COMMANDS:
        calls += [(asked_by_bash(command, "--"), []), ({}, [command, "--help"])]
    run_script(ASKING, json.dumps(calls))
