"""The site of the documentation builds without a warning and loads nothing from other sites."""

import ast
import json
import os
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

import shakespeare_agents
import shakespeare_env

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """The folder of the site, which one test process builds for all as `make site` does."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
            done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
    return folder


def imported(code):
    """Yield the full names that a program imports from our packages."""
    lines = [line for line in code.splitlines() if not line.lstrip().startswith(("%", "!"))]
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shakespeare_"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_reference_holds_what_pages_and_notebooks_use(site):
    texts = [page.read_text("utf-8") for page in (ROOT / "README.md", *DOCS.rglob("*.md"))]
    codes = [code for text in texts for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]
    codes += [path.read_text("utf-8") for path in DOCS.glob("*/*.py")]
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        codes += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    used = {name for code in codes for name in imported(code)}
    for package in (shakespeare_env, shakespeare_agents):
        used |= {f"{package.__name__}.{name}" for name in package.__all__}
    shown = {
        name
        for page in (site / "reference").glob("*.html")
        for name in re.findall(r'<h2 id="?(shakespeare_\w+\.[\w.]+)', page.read_text("utf-8"))
    }
    # The same object may have several names.
    documented = {id(pydoc.locate(name)) for name in shown}
    public = {name for name in used if "__" not in name}
    assert not [name for name in public if id(pydoc.locate(name)) not in documented]


def test_pages_work_from_disk_and_fetch_nothing_from_elsewhere(site):
    """A page read from disk can neither fetch JSON nor start a web worker, which a search needs."""
    assert (site / "search" / "search_index.js").is_file()
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert "assets/iframe-worker.js" in text
        tags = re.findall(r"<(?:link|script|img|iframe)\b[^>]*>", text)
        assert not [tag for tag in tags if re.search(r'(?:src|href)="?(?:https?:)?//', tag)]
