"""The documentation as a site: it builds without a warning and needs nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from shakespeare_env import registry

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
