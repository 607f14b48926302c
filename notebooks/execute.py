"""Execute the notebooks in place: `make notebooks`.

In fast mode (`notebook_mode`) they are only tried, and the outputs stored in them stay.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from notebook_mode import is_fast

HERE = Path(__file__).parent
_TIMEOUT_S = 1800
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Makes sums independent of the number of cores, and lets kernels run side by side."""
_NOTICE = "shakespeare-env: compil"
"""Begins a line that says what is compiled, which appears only at the first use."""


def executed(path: Path, environment: Mapping[str, str]) -> nbformat.NotebookNode:
    """Return a copy with all cells run, with more environment variables.

    Raises:
        CellExecutionError: a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    manager = KernelManager()
    # Named by its command, a kernel need not be installed for Jupyter.
    assert manager.kernel_spec is not None
    manager.kernel_spec.argv = [
        sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR",
    ]  # fmt: skip
    resources = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=_TIMEOUT_S,
        record_timing=False,
        # Where text was flushed is chance.
        coalesce_streams=True,
        resources=resources,
    )
    paths = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH", "")]))
    client.execute(env={**os.environ, "PYTHONPATH": paths, **_ONE_THREAD, **environment})
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                lines = output.text.splitlines(keepends=True)
                output.text = "".join(one for one in lines if not one.startswith(_NOTICE))
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("text") != ""]
    return notebook


def tidied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return the notebook without what differs between executions or only pages read."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    facts = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook.metadata = nbformat.from_dict(facts)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        for output in cell.get("outputs", []):
            drawn = output.get("data", {})
            if "image/svg+xml" in drawn:  # without what only pages read
                drawn["image/svg+xml"] = re.sub(r' data-[a-z]+="[^"]*"', "", drawn["image/svg+xml"])
        cell.metadata = nbformat.from_dict({})
    return notebook


def main(names: list[str]) -> None:
    """Execute the named notebooks, or all of them if none is named."""
    paths = [HERE / name for name in names] or sorted(HERE.glob("*.ipynb"))
    for path in paths:
        print(path.name, flush=True)
        notebook = tidied(executed(path, {}))
        if not is_fast():
            nbformat.write(notebook, path)
    if is_fast():
        print("nothing saved: notebooks that play little show no figures worth keeping")


if __name__ == "__main__":
    main(sys.argv[1:])
