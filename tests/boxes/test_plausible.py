"""Constraints on plausible boxes, and boxes drawn at random."""

import re

import pytest
from typer.testing import CliRunner

from shakespeare_env.boxes import constraints, fact_groups, sample_box, violated_constraints
from shakespeare_env.checks.box_files import box_facts
from shakespeare_env.cli import app
from shakespeare_env.core import registry
from tests.wrong_boxes import write_box

GAMES = ("shakespeare", "figaro")
games = pytest.mark.parametrize("game", GAMES)

VIOLATED = {
    "shakespeare": {
        "board.starting_prestige": (6, "starting prestige"),
        "character.author.activation": ({"white": 3}, "the board"),
        "character.handyman_board.value": (5, "the board"),
        "queen.pounds": (5, "the queen"),
        "mood.lowest": (-1, "mood track"),
        "elements.value.yellow": (4, "element values"),
        "bag.sets.4.black": (17, "full bags"),
        "bag.costumes.2.pink": (13, "smaller bags"),
        "bag.sets.2.blue": (6, "reported bags"),
        "rehearsal.act_1_pounds.7": (2, "pay of the acts"),
        "rehearsal.act_3_prestige.last": (4, "pay of the acts"),
        "solo.neutral_start": (5, "lengths of the acts"),
        "character.romeo.cost": (4, "costs"),
        "character.set_dresser_8.value": (7, "craftsmen"),
        "character.jeweler.kind": ("assistant", "jewelers and assistants"),
        "character.iago.activation": ({}, "actors act"),
        "character.iago.costume_power": ({"pounds": 1}, "costumes advance"),
        "character.viola.costume_power": ({"red": 1}, "costumes advance"),
        "character.lady_macbeth.costume_power": ({"red": 2}, "examples of costumes"),
        "character.falstaff.activation": ({"mood": 1}, "reported powers"),
        "character.hamlet.activation": ({"blue": 1}, "reported powers"),
        "character.lear.activation": ({"white": 1}, "reported powers"),
        "costume_gain.5": ({"pounds": 1}, "plain costumes"),
        "costume_gain.6": ({"pounds": 3}, "plain costumes"),
        "costume_gain.15": ({"prestige": 5, "pounds": 1}, "precious costumes"),
        "costume_gain.9": ({"pounds": 2}, "rising prestige"),
        "stage.space.b1.candle": (False, "candles"),
        "stage.space.c2.on": (["b1"], "bricks"),
        "stage.space.b2.candle": (True, "spaces without a candle"),
        "objective.jewels.points": ({"2": 0}, "objectives"),
        "objective.leading_acts.points": ({"1": 1, "2": 2}, "first places"),
        "objective.wardrobe.points": ({"3": 2, "5": 3}, "reported objectives"),
        "good_scores.4": (23, "good scores"),
    },
    "figaro": {
        "cards.jesters": ({"1": 2, "2": 3}, "cards"),
        "three_seats": ({"jesters": {"1": 2, "2": 0}, "rings": 3}, "cards"),
        "pile.full": (7, "rounds and piles"),
    },
}
"""A value and the constraint that it violates, by game and entry."""


@games
def test_the_packages_own_box_violates_nothing(game):
    assert not violated_constraints(game, registry.own_box(game))
    assert all(one.description and one.source for one in constraints(game))


@pytest.mark.parametrize(
    ("game", "name"), [(game, name) for game in GAMES for name in VIOLATED[game]]
)
def test_a_constraint_names_what_violates_it(game, name, tmp_path):
    value, wanted = VIOLATED[game][name]
    file = write_box(tmp_path, game, (name, value))
    assert wanted in {constraint.name for constraint, _ in violated_constraints(game, file)}


def test_winners_could_have_recruited_for_23_pounds_or_taken_extras(tmp_path):
    text = registry.own_box("shakespeare").read_text("utf-8")
    file = tmp_path / "box.toml"
    for cost in (5, 3):
        file.write_text(re.sub(r"(?m)^cost = \d", f"cost = {cost}", text))
        names = [one.name for one, _ in violated_constraints("shakespeare", file)]
        assert ("wages of winners" in names) is (7 * cost < 23)


def entries(value, name=""):
    """Yield every fact with its name; tables of a list are named by their ids."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from entries(item, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for item in value:
            yield from entries(item, f"{name}.{item['id']}")
    else:
        yield name, value


@games
def test_boxes_are_drawn_within_what_sources_say(game, tmp_path):
    """Equal seeds draw equal boxes; every group changes its own facts, and none of a source."""
    own = dict(entries(box_facts(registry.own_box(game))))
    file = tmp_path / "box.toml"
    texts = [sample_box(game, 0, number) for number in range(8)]
    assert len({*texts}) == 8
    assert texts[3] == sample_box(game, 0, 3) != sample_box(game, 1, 3)
    moved: set[str] = set()
    for group in dict.fromkeys(fact_groups(game).values()):
        alone: set[str] = set()
        for number in range(5):
            file.write_text(sample_box(game, 5, number, [group]))
            assert not violated_constraints(game, file)
            alone |= {name for name, value in entries(box_facts(file)) if value != own.get(name)}
        assert alone
        assert alone.isdisjoint(moved)
        moved |= alone
    if game == "shakespeare":
        assert not moved & {"costume_gain.6.pounds", "bag.sets.4.black", "queen.pounds"}
        assert {"acts.length", "character.romeo.activation.red"} <= moved


def test_the_command_checks(tmp_path):
    run = CliRunner().invoke
    good = tmp_path / "good.toml"
    good.write_text(sample_box("shakespeare", 0, 0))
    assert run(app, ["check", str(good)]).exit_code == 0
    wrong = write_box(tmp_path, "shakespeare", "character.romeo.cost = 4")
    done = run(app, ["check", str(good), str(wrong), "--all"])
    assert done.exit_code == 1
    assert "Romeo costs 4" in done.output
