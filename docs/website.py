"""An MkDocs hook, named in `mkdocs.yml`, that adds pages to the site from outside docs/.

Repository files that pages link to become pages. Links are rewritten, so that they work both on the
site and in the repository. Reference pages are made from docstrings, the help of the commands, the
descriptions of the settings, and the lists that `shakespeare check` prints. Notebooks become pages
with their stored outputs.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from nbconvert import MarkdownExporter
from typer.testing import CliRunner

from shakespeare_env.cli import COMMANDS, app
from shakespeare_env.core import registry

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs"

MIRRORED = {
    "README.md": "project/readme.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
} | {
    f"shakespeare_env/{game}/{file}": f"{game}/{page}"
    for game in registry.names()
    for file, page in (
        ("RULES.md", "rules.md"),
        ("NOTATION.md", "notation.md"),
        ("box.toml", "box.md"),
    )
}
"""Files outside docs/ that have a page in the navigation, and these pages."""

NOTEBOOKS = {
    f"notebooks/{path.name}": f"notebooks/{path.stem}.md"
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
}
"""The notebooks and their pages."""

REFERENCE: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "games": (
        "Games and positions",
        {
            "shakespeare_env": (
                "Position",
                "Batch",
                "DeviceBatch",
                "registry",
                "observation_layout",
                "ObservationLayout",
                "ActionTable",
                "Block",
            ),
            "shakespeare_env.core.game": ("Game",),
            "shakespeare_env.play.history": ("score_sheet_from_events",),
        },
    ),
    "defining": (
        "A game of your own",
        {
            "shakespeare_env": (
                "define",
                "GameRules",
                "GameRecord",
                "GamePresentation",
                "register",
                "check_game",
                "rule",
                "StateField",
                "Check",
                "below",
            )
        },
    ),
    "environments": (
        "Environments",
        {
            "shakespeare_env": ("env", "raw_env", "parallel_env"),
            "shakespeare_env.wrappers.single_agent_batch": ("SingleAgentBatch",),
            "shakespeare_env.wrappers.sb3": ("SB3SingleAgentVecEnv",),
        },
    ),
    "errors": (
        "Errors",
        {
            "shakespeare_env.errors": (
                "ShakespeareEnvError",
                "IllegalMove",
                "PositionError",
                "BoxError",
                "GameError",
                "CheckpointError",
                "TrainingError",
                "DatasetError",
                "ArenaError",
                "WorkerError",
                "MemoryLimitError",
            ),
            "shakespeare_agents.programs": ("ProgramError",),
        },
    ),
    "agents": (
        "Agents",
        {
            "shakespeare_agents": ("make", "default", "names", "RandomAgent", "GreedyAgent"),
            "shakespeare_env.play.agent": ("Agent", "Estimator", "Advisor"),
            "shakespeare_env.play.information_sets": ("InformationSets",),
            "shakespeare_env.play.generators": ("GameGenerators",),
            "shakespeare_agents.networks.checkpoint": ("save_checkpoint",),
        },
    ),
    "arena": (
        "Arena",
        {
            "shakespeare_arena": ("Entrant", "Evaluation", "evaluate"),
            "shakespeare_agents.making": ("entrants_of",),
            "shakespeare_arena.measure": ("Budget", "measure"),
            "shakespeare_arena.best_response": ("best_response", "BestResponse", "SeatResponse"),
            "shakespeare_arena.config": ("ArenaConfig",),
            "shakespeare_arena.tournament": ("run_arena",),
            "shakespeare_arena.ladders.standings": ("standings_of",),
            "shakespeare_agents.program_agent": ("ProgramAgent",),
            "shakespeare_agents.programs": ("Program", "Limits"),
            "shakespeare_agents.workers": ("open_workers",),
            "shakespeare_table.mcp.tools": ("GameTools",),
            "shakespeare_table.mcp.server": ("server_of",),
        },
    ),
    "datasets": (
        "Datasets and films",
        {
            "shakespeare_env.datasets": (
                "read_games",
                "read_decisions",
                "Batches",
                "recorded_games",
                "read_results",
            ),
            "shakespeare_env.datasets.fields": ("field_column",),
            "shakespeare_env.play.history": ("GameHistory",),
            "shakespeare_arena.dataset": ("write_dataset",),
            "shakespeare_env.film": ("Film", "film_page"),
            "shakespeare_table.analysis.judging": ("judge_decision", "best_line"),
        },
    ),
    "strategy": (
        "Strategy research",
        {
            "shakespeare_research.self_play": ("self_play", "default_agents"),
            "shakespeare_research.trials": (
                "Sampling",
                "find_positions",
                "OTHER",
                "try_moves",
                "try_gift",
            ),
            "shakespeare_research.groups": (
                "against",
                "against_others",
                "means",
                "shares",
                "simultaneous",
                "format_mean",
                "format_difference",
                "format_table",
                "format_win_rate",
            ),
            "shakespeare_research.counterfactual": ("counterfactual", "candidates"),
            "shakespeare_research.calibration": (
                "forecasts",
                "brier_scores",
                "calibration_error",
                "chance_bins",
                "score_errors",
            ),
            "shakespeare_research.plots": (
                "plot_lines",
                "plot_rows",
                "plot_table",
                "plot_calibration",
            ),
            "shakespeare_research": ("plot_style",),
        },
    ),
    "findings": (
        "Findings in many boxes",
        {
            "shakespeare_research.asking": ("ask", "boxes_of", "shards_of", "read_answers"),
            "shakespeare_research.verdicts": ("share_bound",),
            "shakespeare_research.report": ("FindingsReport", "shipped_facts"),
            "shakespeare_arena.intervals": ("student_interval",),
            "shakespeare_env.boxes": ("box_file_names", "sample_box"),
            "shakespeare_env.checks.box_files": ("box_facts",),
        },
    ),
    "training": (
        "Training",
        {
            "shakespeare_training.config": ("make_config", "chosen_config"),
            "shakespeare_training.runs.train": ("train",),
            "shakespeare_training.runs.run": ("Run",),
            "shakespeare_training.group": ("ProcessGroup", "joined_group"),
            "shakespeare_training.runs.curves": ("draw_curves",),
            "shakespeare_training.exploit": (
                "ExploitSettings",
                "Exploitation",
                "Response",
                "exploit_by_ppo",
            ),
            "shakespeare_training.networks.mlp": ("PolicyNetwork", "MlpPolicy"),
            "shakespeare_training.learners.reward": ("Standing",),
            "shakespeare_training.adoption": ("AdoptionSettings", "Adoption", "adopt_agent"),
            "shakespeare_training.networks.policy": (
                "Outputs",
                "masked_log_softmax",
                "forecast_losses",
                "bfloat16_is_faster",
            ),
        },
    ),
}
"""Pages made from docstrings: by file, a title and the names to show, by module.

They hold all names that the README, the pages and the notebooks use.
"""

# Its groups are "[text](", the path, "#anchor" if there is one, and ")".
_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s#]+)(#[^()\s]*)?(\))")
_PROGRAM = re.compile(rf"^The (?:program|recipe): \[({DOCS}/\S+\.py)\]\(\S+\)\.$", re.MULTILINE)
"""A paragraph that names a program in docs/."""
_FENCED = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
_LEXERS = {
    ".py": "python",
    ".js": "javascript",
    ".toml": "toml",
    ".sh": "sh",
    ".json": "json",
    ".cff": "yaml",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/."""
    pages = {"reference/commands.md": _commands_page(), "reference/settings.md": _settings_page()}
    for name, (title, modules) in REFERENCE.items():
        pages[f"reference/{name}.md"] = _names_page(title, modules)
    for game in registry.names():
        for option in ("actions", "observation"):
            pages[f"{game}/{option}.md"] = _printed("check", f"--{option}", "--game", game)
    for path, page in MIRRORED.items():
        pages[page] = _file_page(path)
    for notebook, page in NOTEBOOKS.items():
        pages[page], pictures = _notebook_page(notebook)
        for name, picture in pictures.items():
            address = posixpath.join(posixpath.dirname(page), name)
            files.append(File.generated(config, address, content=picture))
    # Add the pages in docs/, so that the files that they link to become pages, too.
    for file in files.documentation_pages():
        pages.setdefault(file.src_uri, file.content_string)
    for page, text in list(pages.items()):
        for path in _repository_files(_origin(page), text):
            pages.setdefault(_page_of(path), _file_page(path))
    # Only pages from outside docs/ are missing from `files`.
    for page, text in pages.items():
        if files.get_file_from_path(page) is None:
            files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """Insert the programs that paragraphs name, and turn links to files into links to pages."""
    here = page.file.src_uri

    def rewritten(link: re.Match[str]) -> str:
        path = _resolved(_origin(here), link[2])
        if path is None:
            return link[0]
        target = posixpath.relpath(_page_of(path), posixpath.dirname(here) or ".")
        return f"{link[1]}{target}{link[3] or ''}{link[4]}"

    markdown = _outside_code(markdown, lambda text: _PROGRAM.sub(_with_its_code, text))
    return _outside_code(markdown, lambda text: _LINK.sub(rewritten, text))


def on_post_build(config: MkDocsConfig) -> None:
    """Remove the 404 page if the site is read from disk, where the links of that page fail."""
    if not config.site_url:
        (Path(config.site_dir) / "404.html").unlink()


def _with_its_code(program: re.Match[str]) -> str:
    """Return a paragraph that names a program, followed by the program's code."""
    code = (ROOT / program[1]).read_text(encoding="utf-8")
    return f'{program[0]}\n\n```py title="{program[1]}"\n{code}```'


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Return Markdown with its text changed, but not its blocks of code."""
    parts = _FENCED.split(markdown)
    parts[::2] = map(change, parts[::2])  # the parts between them are the blocks of code
    return "".join(parts)


def _repository_files(origin: str, text: str) -> Iterator[str]:
    """Yield the files outside docs/ to which a file's text links."""
    text_alone = "".join(_FENCED.split(text)[::2])
    for link in _LINK.finditer(text_alone):
        path = _resolved(origin, link[2])
        if path is not None and not path.startswith(f"{DOCS}/") and (ROOT / path).is_file():
            yield path


def _origin(page: str) -> str:
    """Return the path in the repository of the file that a page is made from."""
    for path, other in (MIRRORED | NOTEBOOKS).items():
        if other == page:
            return path
    return f"{DOCS}/{page}"


def _resolved(origin: str, link: str) -> str | None:
    """Return a link's path in the repository; None if there is no such file."""
    if ":" in link:
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))
    return path if (ROOT / path).is_file() else None


def _page_of(path: str) -> str:
    """Return the page that shows a file of the repository."""
    if path in MIRRORED:
        return MIRRORED[path]
    if path in NOTEBOOKS:
        return NOTEBOOKS[path]
    if path.startswith(f"{DOCS}/"):
        return path.removeprefix(f"{DOCS}/")
    return f"source/{path}.md"


def _file_page(path: str) -> str:
    """Return a file of the repository as a page. Markdown stays as it is, other files are code."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    lexer = _LEXERS.get(posixpath.splitext(path)[1], "text")
    return f"# {path}\n\n```{lexer}\n{text}```\n"


def _notebook_page(path: str) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as Markdown, and its pictures by name."""
    picture_prefix = {"unique_key": Path(path).stem}
    markdown, resources = MarkdownExporter().from_filename(
        str(ROOT / path), resources=picture_prefix
    )
    return markdown, resources["outputs"]


def _names_page(title: str, modules: dict[str, tuple[str, ...]]) -> str:
    """Return a page that shows the docstrings of names, which mkdocstrings inserts at `:::`."""
    entries = [f"::: {module}.{name}" for module, names in modules.items() for name in names]
    return "\n\n".join([f"# {title}", *entries]) + "\n"


def _commands_page() -> str:
    """Return the help of every command, with Markdown tables, since the terminal's are too wide."""
    group: Any = typer.main.get_command(app)
    top = typer.Context(group, info_name="shakespeare")
    commands = {name: group.get_command(top, name) for name in COMMANDS}
    links = [
        (f"[`{name}`](#shakespeare-{name.replace(' ', '-')})", command.help.partition("\n")[0])
        for name, command in commands.items()
    ]
    parts = ["# Commands", _command_section(group, top), _table("Command", links)]
    for name, command in commands.items():
        parts.append(_command_section(command, typer.Context(command, top, info_name=name)))
    return "\n\n".join(parts) + "\n"


def _command_section(command: Any, context: Any) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    records = [param.get_help_record(context) for param in command.get_params(context)]
    options = _table("Argument or option", [(f"`{name}`", text) for name, text in records])
    return f"## {context.command_path}\n\n```text\n{usage}\n```\n\n{command.help}\n\n{options}"


def _table(head: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {first} | {html.escape(second, quote=False)} |" for first, second in rows]
    return "\n".join([f"| {head} | What it does |", "|---|---|", *lines])


def _printed(*words: str) -> str:
    """Run a command and return its output."""
    return CliRunner().invoke(app, words, catch_exceptions=False).output


def _settings_page() -> str:
    parts = ["# Training settings", "The output of `shakespeare train --print-config`."]
    for game in registry.names():
        settings = _printed("train", "--game", game, "--print-config").strip()
        parts.append(f"## {game.capitalize()}\n\n```toml\n{settings}\n```")
    return "\n\n".join(parts) + "\n"
