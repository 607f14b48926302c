"""Every notebook runs, with few games, and stands in the repository with all that it shows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import execute
from notebook_mode import VARIABLE, is_fast, size

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
LARGEST = 1_600_000
"""Bytes of a notebook, pictures included."""
every = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
_RUN = """
import sys
from pathlib import Path
folder, path, variable = sys.argv[1:]
sys.path.insert(0, folder)
from execute import executed
notebook = executed(Path(path), {variable: "1"})
outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
sys.exit("".join(o["text"] for o in outputs if o.get("name") == "stderr") or None)
"""


def code_cells(path):
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_six():
    assert [path.stem[0] for path in PATHS] == list("123456")


@every
def test_it_runs(path):
    """Without a warning; in a process of its own, which closes what a kernel's client leaves."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(NOTEBOOKS), str(path), VARIABLE],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@every
def test_it_holds_what_it_shows(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "error" not in {output.output_type for output in outputs}
    assert "stderr" not in {output.get("name") for output in outputs}
    assert kinds & {"image/png", "image/svg+xml"}
    for cell in cells:
        assert [output.output_type for output in cell.outputs].count("stream") <= 1
    assert path.stat().st_size < LARGEST


@every
def test_it_says_nothing_of_a_machine(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users|private|var|opt)/", text)


@every
def test_it_defines_nothing(path):
    for cell in code_cells(path):
        for node in ast.walk(ast.parse(cell.source)):
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            assert not isinstance(node, kinds), "put it into the package"


@pytest.mark.parametrize(("fast", "saved"), [("0", ["new"]), ("1", ["old"])])
def test_playing_little_saves_nothing(fast, saved, monkeypatch, tmp_path):
    def notebook(text):
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])

    nbformat.write(notebook("old"), tmp_path / "1.ipynb")
    monkeypatch.setenv(VARIABLE, fast)
    monkeypatch.setattr(execute, "HERE", tmp_path)
    monkeypatch.setattr(execute, "executed", lambda path, environment: notebook("new"))
    execute.main(["1.ipynb"])
    found = nbformat.read(tmp_path / "1.ipynb", as_version=4)
    assert [cell.source for cell in found.cells] == saved


def test_the_variable_decides_how_much_is_played(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert size(100, 2) == 100
    monkeypatch.setenv(VARIABLE, "1")
    assert size(100, 2) == 2
    monkeypatch.setenv(VARIABLE, "yes")
    with pytest.raises(ValueError, match="must be 1, 0 or unset"):
        is_fast()
