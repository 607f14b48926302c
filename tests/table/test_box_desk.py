"""Every printed value of a box has a name and a source, and can be changed as its reader allows."""

import difflib
import tomllib

import pytest

from shakespeare_agents.table.box_desk.desk import entered, opened
from shakespeare_agents.table.box_desk.facts import bundled_box, missing_from
from shakespeare_env.checks.box_files import facts_digest
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError

TEXT = bundled_box("shakespeare")


def digest(game, text, folder):
    path = folder / "box.toml"
    path.write_text(text, encoding="utf-8")
    return facts_digest(registry.folder(game), path)


def values_of(data):
    """How many values a parsed file holds, but for ids and sources."""
    if isinstance(data, dict):
        return sum(values_of(v) for k, v in data.items() if k not in ("id", "source", "sources"))
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return sum(map(values_of, data))
    return 1


@pytest.mark.parametrize("game", registry.names())
def test_every_value_of_the_file_has_a_name_a_source_and_one_field(game):
    """What is left as it is changes no byte."""
    text = bundled_box(game)
    box, data = opened(game, text), tomllib.loads(text)
    assert {fact.kind for fact in box.facts} <= set(data["sources"])
    assert all(fact.label and fact.section and not fact.differs for fact in box.facts)
    named = [(fact.section, fact.heading, fact.label) for fact in box.facts]
    assert len(set(named)) == len(named)
    fields = [fact for fact in box.facts if fact.text or fact.value == []]
    values = sum(len(f.value) if f.wanted.kind == "pairs" else 1 for f in fields)
    assert values == values_of(data)
    again = entered(game, text, {fact.name: fact.text for fact in box.facts})
    assert (again.text, again.faults, again.fault) == (text, {}, "")


def test_what_is_reconstructed_is_what_the_limits_say():
    """docs/limits.md lists them by component."""
    kinds = {fact.name: fact.kind for fact in opened("shakespeare", TEXT).facts}
    ids = [character["id"] for character in tomllib.loads(TEXT)["character"]]
    hamlet, author, jeweler = (f"character.{ids.index(i)}" for i in ("hamlet", "author", "jeweler"))
    assert kinds["bag.sets.2.blue"] == "public"
    rulebook = ["bag.sets.4.black", "costume_gain.6", f"{hamlet}.costume_power"]
    assert {kinds[name] for name in (*rulebook, f"{author}.activation")} == {"rulebook"}
    reconstructed = ["acts.length", "bag.costumes.3.green", "bag.sets.2.black", "costume_gain.7"]
    reconstructed += [f"{hamlet}.cost", f"{author}.costume_power", f"{jeweler}.copies"]
    assert {kinds[name] for name in (*reconstructed, "stage.space.3.candle")} == {"reconstructed"}


def test_a_change_keeps_comments_and_says_its_source(tmp_path):
    text = bundled_box("figaro").replace("rings = 5", "rings = 5  # as counted")
    done = entered("figaro", text, {"cards.rings": "6", "cards.jesters.1": "2"}, source="mine")
    lines = difflib.unified_diff(text.splitlines(), done.text.splitlines(), n=0, lineterm="")
    rest = '"rule sheet: the names of the colours are read off the cards"'
    sources = f'{{ jesters = {{ 1 = "mine" }}, rings = "mine", others = {rest} }}'
    assert sorted(line for line in lines if line[1:2].isalpha()) == [
        "+jesters = { 1 = 2, 2 = 2 }",
        "+rings = 6  # as counted",
        f"+source = {sources}",
        "-jesters = { 1 = 3, 2 = 2 }",
        "-rings = 5  # as counted",
        f"-source = {rest}",
    ]
    differing = {fact.name: (fact.bundled_text, fact.text) for fact in done.facts if fact.differs}
    assert differing == {"cards.rings": ("5", "6"), "cards.jesters.1": ("3", "2")}
    assert digest("figaro", done.text, tmp_path) != digest("figaro", text, tmp_path)


def test_what_is_confirmed_is_no_longer_reconstructed_and_still_the_same_box(tmp_path):
    names = ["stage.space.0.row", "costume_gain.7", "acts.length", "bag.costumes.2.pink"]
    done = entered("shakespeare", TEXT, {}, confirmed=names)
    sources = {fact.name: fact.source for fact in done.facts}
    assert [sources[name] for name in names] == ["my copy"] * 4
    assert sources["stage.space.1.row"] == sources["stage.space.0.candle"]
    assert sources["bag.costumes.2.black"].startswith("reconstructed: in proportion")
    assert sources["bag.costumes.4.pink"] == "rulebook"
    assert digest("shakespeare", done.text, tmp_path) == digest("shakespeare", TEXT, tmp_path)


FAULTS = {
    "acts.length": ("nine, 10, 10", "'nine' is not a whole number"),
    "mood.lowest": ("", "missing; add lowest (a whole number from -2 to 0)"),
    "supply.plus3_tokens": ("31", "31 is out of range; write a whole number from 0 to 30"),
    "board.starting": ("author, falstaff", ""),
    "character.5.activation": ("red 1", "'red 1' is no pair"),
    "character.6.kind": ("actress", ""),
    "objective.3.points": ("4 = 9", ""),
    "stage.space.5.on": ("a9", ""),
}


def test_every_wrong_value_has_its_own_fault_and_changes_nothing():
    given = {name: text for name, (text, _) in FAULTS.items()}
    done = entered("shakespeare", TEXT, {**given, "queen.pounds": "5"})
    assert done.text == TEXT
    assert done.faults.keys() == FAULTS.keys()
    assert all(done.faults[name].startswith(says) for name, (_, says) in FAULTS.items())
    # A fault of several values stands where the reader sees it.
    done = entered("shakespeare", TEXT, {"rehearsal.act_3_prestige": "10 = 2, last = 3"})
    assert set(done.faults) == {"acts.length"}
    done = entered("shakespeare", TEXT, {"character.20.copies": "5"})
    assert done.fault.startswith("[[character]]: the copies add up to 33 cards; change copies")
    assert "/" not in done.fault


def test_another_kind_of_card_asks_for_its_own_values():
    emptied = {"character.6.activation": "", "character.6.costume_power": ""}
    given = {"character.6.kind": "handyman", **emptied}
    done = entered("shakespeare", TEXT, given)
    assert set(done.faults) == {"character.6.value"}
    assert "character.6.value" in {fact.name for fact in done.facts}
    done = entered("shakespeare", TEXT, {**given, "character.6.value": "4"})
    assert done.is_good
    viola = tomllib.loads(done.text)["character"][6]
    assert (viola["kind"], viola["value"], "activation" in viola) == ("handyman", 4, False)


def test_what_may_be_missing_can_be_added_and_taken_away():
    given = {
        "stage.space.3.candle": "true",
        "stage.space.5.candle": "",
        "costume_gain.5": "pounds = 1",
        "costume_gain.6": "",
        "character.0.activation": "",
    }
    done = entered("shakespeare", TEXT, given)
    assert done.is_good
    data = tomllib.loads(done.text)
    assert (data["stage"]["space"][3]["candle"], "candle" in data["stage"]["space"][5]) == (1, 0)
    assert (data["costume_gain"]["5"], "6" in data["costume_gain"]) == ({"pounds": 1}, False)
    assert data["character"][0]["activation"] == {}
    assert {fact.name for fact in done.facts if fact.differs} == set(given)


def test_a_file_gets_the_tables_it_lacks_and_sources_where_there_were_none():
    start = TEXT.index("[good_scores]")
    bare = TEXT[:start] + TEXT[TEXT.index("# ---- the four characters") :]
    bare = "\n".join(line for line in bare.splitlines() if not line.startswith("source = "))
    bare = bare[: bare.index("\n[sources]") + 1] + bare[bare.index("[board]") :]
    done = entered("shakespeare", bare, {"good_scores.4": "23", "character.5.cost": "4"})
    assert done.is_good
    sources = {fact.name: fact.source for fact in done.facts}
    assert (sources["character.5.cost"], sources["character.5.name"]) == ("my copy", "")
    assert "reconstructed" in tomllib.loads(done.text)["sources"]


def test_what_the_copy_has_more_or_less_of_is_added_or_taken_away():
    """Faults keep to their places."""
    taken = ["stage.space.13", "objective.0"]
    done = entered("shakespeare", TEXT, {"objective.3.points": "4 = 9"}, taken=taken)
    assert set(done.faults) == {"stage.space.9.mirror", "objective.3.points"}
    given = {"stage.space.9.mirror": "", "objective.3.points": "4 = 3"}
    done = entered("shakespeare", TEXT, given, ["objective.5.points"], taken=taken)
    assert done.is_good
    data = tomllib.loads(done.text)
    assert "c5" not in [space["id"] for space in data["stage"]["space"]]
    assert data["objective"][0]["id"] == "wardrobe"
    masterpiece = next(card for card in data["objective"] if card["id"] == "masterpiece")
    assert masterpiece["source"] == {"points": "my copy", "others": "reconstructed"}
    assert data["objective"][2]["points"] == {"4": 3}
    lacking = ["The stage: Space c5", "Objectives: First on the acts"]
    assert missing_from("shakespeare", data) == lacking

    given = {"character.22.copies": "2", "character.23.copies": "1", "stage.space.14.mirror": ""}
    added = {"character": ["page"], "stage.space": ["c6"], "no list": ["x"]}
    done = entered("shakespeare", TEXT, {**given, "character.23.name": "Page"}, added=added)
    assert done.is_good
    data = tomllib.loads(done.text)
    page = {"id": "page", "source": "my copy", "name": "Page", "kind": "assistant"}
    assert data["character"][-1] == {**page, "copies": 1, "cost": 1}
    assert data["stage"]["space"][-1]["id"] == "c6"
    done = entered("shakespeare", TEXT, given, added={"character": ["Bad Id"]})
    assert done.fault.startswith("[[character]] Bad Id: id: 'Bad Id' is not an id")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[" * 5000, "this is not a TOML file"),
        ("a" * 300_000, "this file has 300,000 characters; a box has 262,144 at most"),
        ("[stages]\n", "stages: 'stages' is no table; did you mean 'stage'?"),
        ("[sources]\npublic = 3\n", "[sources]: public: 3 is not a text"),
    ],
)
def test_a_file_that_is_no_box_of_the_game_is_refused_in_our_words(text, fault):
    with pytest.raises(BoxError) as refused:
        opened("shakespeare", text)
    assert str(refused.value).startswith(fault)
