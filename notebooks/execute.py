"""Execute the notebooks and write what they show in place: `python notebooks/execute.py`.

`make notebooks` does it for all of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

HERE = Path(__file__).parent
_TIMEOUT_S = 1800
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Sums do not depend on the number of cores then, and several kernels share them well."""


def executed(path: Path, environment: Mapping[str, str]) -> nbformat.NotebookNode:
    """A notebook after all its cells have run, in a kernel of this very interpreter.

    Args:
        path: The notebook; it stays as it is.
        environment: More variables for the kernel.

    Raises:
        CellExecutionError: a cell has failed.
    """
    notebook = nbformat.read(path, as_version=4)
    manager = KernelManager()
    # No kernel need be installed for Jupyter: this one is named by its command.
    assert manager.kernel_spec is not None
    manager.kernel_spec.argv = [
        sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR",
    ]  # fmt: skip
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=_TIMEOUT_S,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    paths = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH", "")]))
    client.execute(env={**os.environ, "PYTHONPATH": paths, **_ONE_THREAD, **environment})
    return notebook


def tidied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The same without what tells one machine or one execution from another."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.from_dict({})
    return notebook


def main(names: list[str]) -> None:
    """Execute the notebooks of these names, or all of them."""
    paths = [HERE / name for name in names] or sorted(HERE.glob("*.ipynb"))
    for path in paths:
        print(path.name, flush=True)
        nbformat.write(tidied(executed(path, {})), path)


if __name__ == "__main__":
    main(sys.argv[1:])
