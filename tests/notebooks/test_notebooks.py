"""Every notebook runs with few games, and is stored in the repository with all its outputs."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import polars as pl
import pytest

from demonstration import made_with
from notebook_mode import VARIABLE
from shakespeare_env.core import registry

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
each_notebook = pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem
)
_RUN = """
import sys
from pathlib import Path
folder, path, variable = sys.argv[1:]
sys.path.insert(0, folder)
from execute import executed
notebook = executed(Path(path), {variable: "1"})
outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
warnings = [output["text"] for output in outputs if output.get("name") == "stderr"]
sys.exit("".join(warnings) or None)
"""


@each_notebook
def test_a_notebook_runs_without_a_warning(path):
    """The notebook runs in another process, as a kernel's client leaves files and sockets open."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(NOTEBOOKS), str(path), VARIABLE],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@each_notebook
def test_a_notebook_is_stored_with_all_outputs(path):
    """The outputs have no error, and they name no folder of the machine that ran the notebook."""
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "error" not in {output.output_type for output in outputs}
    assert "stderr" not in {output.get("name") for output in outputs}
    assert kinds & {"image/png", "image/svg+xml"}
    for cell in cells:
        assert [output.output_type for output in cell.outputs].count("stream") <= 1
    folders = r"(?<![\w.])/(home|root|tmp|work|Users|private|var|opt)/"
    assert not re.search(folders, path.read_text(encoding="utf-8"))


def test_the_stored_findings_are_those_of_the_page():
    page = (NOTEBOOKS.parent / "docs" / "findings.md").read_text("utf-8")
    rows = pl.read_parquet(NOTEBOOKS / "findings.parquet").rows(named=True)
    assert len(rows) == len(re.findall(r"^\|.*\| `[\w,=]+` \|", page, re.MULTILINE))
    for row in rows:
        begins = f"| {row['item']} | `{row['player']}` |"
        mean = f"| {row['mean']:+.2f} ("
        assert any(begins in line and mean in line for line in page.splitlines())


@each_notebook
def test_a_notebook_was_run_with_the_bundled_networks(path):
    text = path.read_text("utf-8")
    named = {*re.findall(r"Made with network \d+ of \w+, [\w-]+\.", text)}
    plays = re.search(r"demonstration\(|self_play\(|find_positions\(", text) is not None
    assert bool(named) is plays, "print made_with(game) first"
    assert named <= {made_with(game) for game in registry.names()}, "execute it again"
