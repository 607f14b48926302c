"""A checkpoint described as hubs of models show it: Markdown below YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_agents.networks.checkpoint import Card
from shakespeare_env.core.game import Game
from shakespeare_env.version import version

_ALONE = "alone"
_TAGS = ("reinforcement-learning", "self-play", "board-game", "shakespeare-env")


def model_card(card: Card, game: Game, checks: Mapping[str, str]) -> str:
    """The text of a README.md.

    Args:
        card: The checkpoint's.
        game: What it plays.
        checks: Each exported format and how it compares with the network.
    """
    rows = _last_evaluations(card)
    title = f"{game.name.capitalize()}: policy and value by self-play"
    results = "".join(
        f"| {row['players']} | {row['opponent'] or _ALONE} | {row['games']:,} | "
        f"{_win_rate(row)} | {row['mean_score']:.1f} |\n"
        for row in rows
    )
    files = "".join(f"- {file}: {said}\n" for file, said in checks.items())
    seats = ", ".join(map(str, card.players))
    return f"""{_front_matter(card, game, rows)}
# {title}

A network for the board game {game.name.capitalize()} at tables of {seats} seats, trained with
shakespeare-env. It reads what one seat may know and scores that seat's {card.actions} actions.

## Files

{files}- `config.json`: the meaning of every number of an observation, and the text of every action

The positions are of whole games, and the comparison is with the network as it was trained.

## Input and output

`observation` is int8[n, {card.observation}]. The network multiplies it by `input_scale`,
1 / sqrt(bound) of each number, which is among the weights: give it the numbers as they are.

| Output | |
|---|---|
| `logits` | [n, {card.actions}], of all actions: leave out the illegal ones |
| `value` | [n], what the seat may still expect, in units of {game.score_scale:g} points |
{_HEADS if card.heads else ""}
## Results

After {card.figures.get("decisions", 0):,} decisions, in the run's own last evaluation:

| Seats | Against | Games | Wins (95 % interval) | Mean score |
|---|---|---|---|---|
{results}
Opponents are agents of shakespeare-env at that time. The command that trains it again:

```sh
{card.command}
```
"""


_HEADS = """\
| `win_logits` | [n, S], of shares of the victory, clockwise from the own seat; omit empty seats |
| `changes` | [n, S], of scores until the end, in the same units |
"""


def _front_matter(card: Card, game: Game, rows: Sequence[Mapping[str, Any]]) -> str:
    """The YAML that hubs read; JSON's values are YAML, too."""
    metrics = [
        {
            "type": "win_rate",
            "name": f"wins at {row['players']} seats against {row['opponent']}",
            "value": round(row["win_rate"], 4),
        }
        for row in rows
        if row["win_rate"] is not None
    ]
    task = {"type": "reinforcement-learning", "name": "reinforcement-learning"}
    environment = {"type": f"{game.name}_v0", "name": f"shakespeare-env {version()}"}
    results = [{"task": task, "dataset": environment, "metrics": metrics}]
    entries = {
        "license": card.licence.lower(),
        "library_name": "shakespeare-env",
        "pipeline_tag": "reinforcement-learning",
        "tags": [*_TAGS, game.name],
        "model-index": [{"name": f"{game.name}-{card.weights_digest[:8]}", "results": results}],
    }
    if not metrics:
        del entries["model-index"]
    lines = [f"{name}: {json.dumps(value)}" for name, value in entries.items()]
    return "\n".join(["---", *lines, "---", ""])


def _last_evaluations(card: Card) -> list[Mapping[str, Any]]:
    """The last evaluation of the run, a row for each table and opponent; none if there was none."""
    history = card.figures.get("history", [])
    last = max((row["decisions"] for row in history), default=0)
    return [row for row in history if row["decisions"] == last]


def _win_rate(row: Mapping[str, Any]) -> str:
    if row["win_rate"] is None:
        return ""
    return f"{row['win_rate']:.1%} ({row['low']:.1%} to {row['high']:.1%})".replace("%", " %")
