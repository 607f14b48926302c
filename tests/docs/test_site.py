"""The documentation as a site: it builds without a warning and needs nothing from elsewhere."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import typer

from shakespeare_env import registry
from shakespeare_env.cli import COMMANDS, app

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built as `make site` builds it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def targets(page):
    """What a page loads or links to."""
    text = page.read_text(encoding="utf-8")
    return [unquote(target) for target in re.findall(r'\s(?:href|src)="?([^"\s>]+)', text)]


def test_every_page_and_picture_is_there(site):
    for file in DOCS.rglob("*.*"):
        if file.suffix in (".md", ".svg", ".png"):
            made = site / file.relative_to(DOCS)
            assert made.with_suffix(".html" if file.suffix == ".md" else file.suffix).exists()
    for name in registry.names():
        assert "Ruling" in (site / name / "rules.html").read_text(encoding="utf-8")


def test_what_is_public_is_in_the_reference(site):
    for page, names in {
        "position": ("Position.push", "Position.determinize"),
        "batch": ("Batch.step",),
        "wrappers": ("SingleAgentBatch", "SB3SelfPlayVecEnv", "raw_env"),
        "errors": ("IllegalMove",),
    }.items():
        text = (site / "reference" / f"{page}.html").read_text(encoding="utf-8")
        for name in names:
            assert re.search(rf'id="?[\w.]*\b{re.escape(name)}\b', text), (page, name)


def test_notebooks_are_there_with_their_pictures(site):
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        page = site / "notebooks" / f"{notebook.stem}.html"
        stored = re.findall(r'"image/(?:png|svg\+xml)":', notebook.read_text(encoding="utf-8"))
        shown = re.findall(rf"<img[^>]*{notebook.stem}_", page.read_text(encoding="utf-8"))
        assert len(shown) == len(stored) > 0


def test_programs_are_shown_where_pages_name_them(site):
    shown = 0
    for page in DOCS.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        made = (site / page.name).with_suffix(".html").read_text(encoding="utf-8")
        plain = words(html.unescape(re.sub("<[^>]+>", "", made)))
        for path in re.findall(r"^The (?:program|recipe): \[(\S+)\]", text, re.MULTILINE):
            assert words((ROOT / path).read_text(encoding="utf-8"))[:300] in plain
            shown += 1
    assert shown == 9


def test_pictures_can_be_enlarged(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        article = text.partition("<article")[2].partition("</article>")[0]
        for before in article.split("<img ")[:-1]:
            assert re.search(r'<a class="?glightbox"?[^>]*>$', before), page.name


def words(text):
    """Without Markdown's code marks, and however it is broken into lines."""
    return " ".join(text.replace("`", "").split())


def test_every_command_is_there_with_all_it_takes(site):
    page = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    for name in COMMANDS:
        anchor = f"shakespeare-{name.replace(' ', '-')}"
        section = re.split(rf'id="?{anchor}"?>', page)[1].partition("<h2")[0]
        shown = words(html.unescape(re.sub("<[^>]+>", "", section)))
        command = group.get_command(context, name)
        assert words(command.help) in shown
        for param in command.get_params(context):
            assert words(" ".join(param.get_help_record(context))) in shown


def test_what_is_returned_is_not_split(site):
    found = 0
    for page in (site / "reference").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        for items in re.findall(r"Returns:</span>\s*</p>\s*<ul>(.*?)</ul>", text, re.DOTALL):
            assert items.count('<li class="doc-section-item') == 1, items
            found += 1
    assert found


def test_search_works_from_disk(site):
    """There a page may read neither JSON nor start a web worker."""
    assert (site / "search" / "search_index.js").is_file()
    reports = {*site.rglob("arena.html")}
    for page in {*site.rglob("*.html")} - reports:
        assert "assets/iframe-worker.js" in page.read_text(encoding="utf-8")


def test_links_between_pages_lead_to_files(site):
    """Those to files of the repository, too."""
    for page in site.rglob("*.html"):
        if page.name == "404.html":  # shown at any address: its links begin at the server's root
            continue
        for target in targets(page):
            path = target.partition("#")[0].partition("?")[0]
            if path and not re.match(r"[a-z]+:", path):
                assert (page.parent / path).exists(), (page.name, target)


def test_nothing_is_fetched_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:link|script|img|iframe)\b[^>]*>", text)
        assert not [tag for tag in loaded if re.search(r'(?:src|href)="?(?:https?:)?//', tag)]
