"""What the documentation site has beside the pages in this folder; `mkdocs.yml` names it as a hook.

Files outside docs/ that pages link to become pages of the site, and links to them are rewritten, so
that the same link works here and in the repository.  Reference pages are made from docstrings, from
the help of the commands and from the settings' descriptions.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.testing import CliRunner

from shakespeare_env import registry
from shakespeare_env.cli import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs"

MIRRORED = {
    "README.md": "project/readme.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
} | {
    f"shakespeare_env/{game}/{file}": f"{game}/{page}"
    for game in registry.names()
    for file, page in (("RULES.md", "rules.md"), ("box.toml", "box.md"))
}
"""Files outside docs/ that have a page of their own in the navigation, and where it is."""

REFERENCE = {
    "shakespeare_env": ("The package", ("shakespeare_env",)),
    "position": ("Position", ("shakespeare_env.position",)),
    "batch": ("Batch", ("shakespeare_env.batch",)),
    "registry": ("The registry of games", ("shakespeare_env.registry",)),
    "game": ("The contract of a game", ("shakespeare_env.game", "shakespeare_env.action_table")),
    "rewards": ("Rewards and random numbers", ("shakespeare_env.rewards", "shakespeare_env.rng")),
    "errors": ("Errors", ("shakespeare_env.errors",)),
    "wrappers": (
        "Wrappers",
        tuple(
            f"shakespeare_env.wrappers.{name}"
            for name in ("aec", "gym", "vector", "seat_games", "sb3", "state", "rendering")
        ),
    ),
    "agents": (
        "Agents",
        tuple(
            f"agents.{name}"
            for name in (
                "registry",
                "base",
                "views",
                "table",
                "random_agent",
                "greedy",
                "network",
                "checkpoint",
            )
        ),
    ),
    "training": (
        "Training",
        tuple(
            f"training.{name}"
            for name in (
                "evaluate",
                "table_result",
                "config",
                "run",
                "self_play",
                "rollout",
                "advantages",
                "league",
                "policy",
            )
        ),
    ),
}
"""Pages made from docstrings: their titles and the modules on them."""

_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s#]+)(#[^()\s]*)?(\))")
_FENCED = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
_LEXERS = {".py": "python", ".toml": "toml", ".sh": "sh", ".json": "json", ".cff": "yaml"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    pages: dict[str, str] = {
        f"reference/{name}.md": _modules_page(*page) for name, page in REFERENCE.items()
    }
    pages["reference/commands.md"] = _commands_page()
    pages["reference/settings.md"] = _settings_page()
    for path, page in MIRRORED.items():
        pages[page] = _file_page(path)
    for file in files.documentation_pages():
        pages.setdefault(file.src_uri, file.content_string)
    for origin, text in [(_origin(page), text) for page, text in pages.items()]:
        for path in _repository_files(origin, text):
            pages.setdefault(_page_of(path), _file_page(path))
    for page, text in pages.items():
        if files.get_file_from_path(page) is None:
            files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """Let links to files of the repository lead to their pages."""
    here = page.file.src_uri

    def rewritten(link: re.Match[str]) -> str:
        path = _resolved(_origin(here), link[2])
        if path is None:
            return link[0]
        target = posixpath.relpath(_page_of(path), posixpath.dirname(here) or ".")
        return f"{link[1]}{target}{link[3] or ''}{link[4]}"

    return _outside_code(markdown, lambda text: _LINK.sub(rewritten, text))


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The text with a change made to all of it but fenced code."""
    parts = _FENCED.split(markdown)
    return "".join(part if odd % 2 else change(part) for odd, part in enumerate(parts))


def _repository_files(origin: str, text: str) -> Iterator[str]:
    """The files outside docs/ that a text links to."""
    for link in _LINK.finditer("".join(_FENCED.split(text)[::2])):
        path = _resolved(origin, link[2])
        if path is not None and not path.startswith(f"{DOCS}/") and (ROOT / path).is_file():
            yield path


def _origin(page: str) -> str:
    """Where in the repository the text of a page of the site stands."""
    return next((path for path, other in MIRRORED.items() if other == page), f"{DOCS}/{page}")


def _resolved(origin: str, link: str) -> str | None:
    """The path in the repository that a link leads to; None if it does not lead to a file there."""
    if ":" in link:
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))
    return path if (ROOT / path).is_file() else None


def _page_of(path: str) -> str:
    """Where on the site a file of the repository is."""
    if path in MIRRORED:
        return MIRRORED[path]
    return path.removeprefix(f"{DOCS}/") if path.startswith(f"{DOCS}/") else f"source/{path}.md"


def _file_page(path: str) -> str:
    """A file of the repository as a page: Markdown as it is, everything else as code."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    lexer = _LEXERS.get(posixpath.splitext(path)[1], "text")
    return f"# {path}\n\n```{lexer}\n{text}```\n"


def _modules_page(title: str, modules: tuple[str, ...]) -> str:
    return "\n\n".join([f"# {title}", *(f"::: {module}" for module in modules)]) + "\n"


def _commands_page() -> str:
    """What every command says when it is asked for help."""
    commands = ["", *(made.callback.__name__ for made in app.registered_commands if made.callback)]
    parts = ["# Commands"]
    for command in commands:
        words = [word for word in (command, "--help") if word]
        said = CliRunner().invoke(
            app, words, prog_name="shakespeare", env=_PLAIN, catch_exceptions=False
        )
        text = "\n".join(line.rstrip() for line in said.output.strip("\n").splitlines())
        parts.append(f"## shakespeare {command}".rstrip() + f"\n\n```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


_PLAIN = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1", "TERM": "dumb"}
"""So that help is as wide on every screen, and without colours."""


def _settings_page() -> str:
    """All settings of training with their defaults, by game."""
    parts = ["# Settings of training", "What `shakespeare train --print-config` prints."]
    for game in registry.names():
        words = ["train", "--game", game, "--print-config"]
        said = CliRunner().invoke(app, words, env=_PLAIN, catch_exceptions=False)
        parts.append(f"## {game.capitalize()}\n\n```toml\n{said.output.strip()}\n```")
    return "\n\n".join(parts) + "\n"
