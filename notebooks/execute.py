"""Execute the notebooks in place: `make notebooks`.

In fast mode (`notebook_mode`) they are only checked, and their stored outputs stay.
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
"""One thread makes sums independent of the number of cores, and lets kernels run side by side."""
_COMPILE_NOTICE = "shakespeare-env: compil"
"""The beginning of lines about compilation. They appear only when a function is first used."""


def executed(path: Path, environment: Mapping[str, str]) -> nbformat.NotebookNode:
    """Return a notebook after running all cells, with additional environment variables.

    Raises:
        CellExecutionError: A cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    manager = KernelManager()
    # A kernel that is started by its command need not be installed in Jupyter.
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
        # Where text is flushed is left to chance.
        coalesce_streams=True,
        resources=resources,
    )
    paths = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH", "")]))
    client.execute(env={**os.environ, "PYTHONPATH": paths, **_ONE_THREAD, **environment})
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                lines = output.text.splitlines(keepends=True)
                output.text = "".join(
                    line for line in lines if not line.startswith(_COMPILE_NOTICE)
                )
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("text") != ""]
    return notebook


def tidied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return the notebook without what differs between executions, and without data attributes."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook.metadata = nbformat.from_dict(metadata)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/svg+xml" in data:
                # Only the pages of the browser read these attributes.
                data["image/svg+xml"] = re.sub(r' data-[a-z]+="[^"]*"', "", data["image/svg+xml"])
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
        print("Nothing was saved: figures of the fast mode are not worth keeping.")


if __name__ == "__main__":
    main(sys.argv[1:])
