"""The documentation as a site: it builds without a warning and needs nothing from elsewhere."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from shakespeare_env.cli import COMMANDS, app

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built as `make site` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def words(text):
    """Without tags and Markdown's code marks, and however it is broken into lines."""
    return " ".join(html.unescape(re.sub("<[^>]+>", "", text)).replace("`", "").split())


def test_every_page_picture_and_notebook_is_there(site):
    """With the programs that pages name."""
    for file in DOCS.rglob("*.*"):
        if file.suffix in (".md", ".svg", ".png"):
            made = site / file.relative_to(DOCS)
            assert made.with_suffix(".html" if file.suffix == ".md" else file.suffix).exists()
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        page = (site / "notebooks" / f"{notebook.stem}.html").read_text("utf-8")
        stored = re.findall(r'"image/(?:png|svg\+xml)":', notebook.read_text("utf-8"))
        assert len(re.findall(rf"<img[^>]*{notebook.stem}_", page)) == len(stored) > 0
    for page in DOCS.glob("*.md"):
        plain = words((site / page.name).with_suffix(".html").read_text("utf-8"))
        text = page.read_text("utf-8")
        for path in re.findall(r"^The (?:program|recipe): \[(\S+)\]", text, re.MULTILINE):
            shown = " ".join((ROOT / path).read_text("utf-8").replace("`", "").split())
            assert shown[:300] in plain


def test_what_is_public_is_in_the_reference(site):
    for page, names in {
        "position": ("Position.push", "Position.determinize"),
        "batch": ("Batch.step",),
        "wrappers": ("SingleAgentBatch", "SB3SelfPlayVecEnv", "raw_env"),
        "errors": ("IllegalMove",),
    }.items():
        text = (site / "reference" / f"{page}.html").read_text("utf-8")
        assert all(re.search(rf'id="?[\w.]*\b{re.escape(name)}\b', text) for name in names), page
    text = (site / "reference" / "commands.html").read_text("utf-8")
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    for name in COMMANDS:
        section = re.split(rf'id="?shakespeare-{name.replace(" ", "-")}"?>', text)[1]
        shown = words(section.partition("<h2")[0])
        command = group.get_command(context, name)
        records = [" ".join(it.get_help_record(context)) for it in command.get_params(context)]
        for said in (command.help, *records):
            assert " ".join(said.replace("`", "").split()) in shown


def test_pages_work_from_disk_and_fetch_nothing_from_elsewhere(site):
    """From disk a page may read neither JSON nor start a web worker, which searching would."""
    assert (site / "search" / "search_index.js").is_file()
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert page.name == "arena.html" or "assets/iframe-worker.js" in text
        loaded = re.findall(r"<(?:link|script|img|iframe)\b[^>]*>", text)
        assert not [tag for tag in loaded if re.search(r'(?:src|href)="?(?:https?:)?//', tag)]
