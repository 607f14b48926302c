"""Every printed value of a box has a name and a source, and can be changed as its reader allows."""

import difflib
import tomllib

import pytest

from shakespeare_agents.table.box_desk.desk import entered, opened
from shakespeare_agents.table.box_desk.facts import bundled_box, missing_from, sections_of
from shakespeare_env import registry
from shakespeare_env.box_reading import facts_digest
from shakespeare_env.errors import BoxError

games = pytest.mark.parametrize("game", registry.names())


@pytest.fixture(scope="module")
def own():
    """The bundled boxes, opened."""
    return {game: opened(game, bundled_box(game)) for game in registry.names()}


def digest(game, text, folder):
    path = folder / "box.toml"
    path.write_text(text, encoding="utf-8")
    return facts_digest(registry.folder(game), path)


def changed_lines(before, after):
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]


def values_of(data):
    """How many values a parsed file holds, but for ids and sources."""
    if isinstance(data, dict):
        inner = {k: v for k, v in data.items() if k not in ("id", "source", "sources")}
        return sum(map(values_of, inner.values()))
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return sum(map(values_of, data))
    return 1


@games
def test_every_value_has_a_name_and_a_source_that_the_file_explains(game, own):
    box = own[game]
    meanings = tomllib.loads(box.text)["sources"]
    assert {fact.kind for fact in box.facts} <= set(meanings)
    assert all(fact.label and fact.section and not fact.differs for fact in box.facts)
    named = [(fact.section, fact.heading, fact.label) for fact in box.facts]
    assert len(set(named)) == len(named)


@games
def test_every_value_of_the_file_is_in_one_field(game, own):
    fields = [fact for fact in own[game].facts if fact.text or fact.value == []]
    values = sum(len(f.value) if f.wanted.kind == "pairs" else 1 for f in fields)
    assert values == values_of(tomllib.loads(bundled_box(game)))


@games
def test_what_is_left_as_it_is_changes_no_byte(game, own):
    box = own[game]
    again = entered(game, box.text, {fact.name: fact.text for fact in box.facts})
    assert (again.text, again.faults, again.fault) == (bundled_box(game), {}, "")


def test_what_is_reconstructed_is_what_the_limits_say(own):
    """docs/limits.md lists them by component."""
    kinds = {fact.name: fact.kind for fact in own["shakespeare"].facts}
    assert kinds["acts.length"] == kinds["bag.costumes.3.green"] == "reconstructed"
    assert kinds["bag.sets.2.black"] == kinds["costume_gain.7"] == "reconstructed"
    assert kinds["bag.sets.2.blue"] == "public"
    assert kinds["bag.sets.4.black"] == kinds["costume_gain.6"] == "rulebook"
    ids = [c["id"] for c in tomllib.loads(bundled_box("shakespeare"))["character"]]
    hamlet, author, jeweler = map(ids.index, ("hamlet", "author", "jeweler"))
    assert kinds[f"character.{hamlet}.costume_power"] == "rulebook"
    assert kinds[f"character.{hamlet}.cost"] == "reconstructed"
    assert kinds[f"character.{author}.costume_power"] == "reconstructed"
    assert kinds[f"character.{author}.activation"] == "rulebook"
    assert kinds[f"character.{jeweler}.copies"] == "reconstructed"
    assert kinds["stage.space.3.candle"] == "reconstructed"


def test_a_change_keeps_comments_and_says_its_source(own, tmp_path):
    text = bundled_box("figaro").replace("rings = 5", "rings = 5  # as counted")
    done = entered("figaro", text, {"cards.rings": "6", "cards.jesters.1": "2"}, source="mine")
    assert sorted(changed_lines(text, done.text)) == [
        "+jesters = { 1 = 2, 2 = 2 }",
        "+rings = 6  # as counted",
        '+source = { jesters = { 1 = "mine" }, rings = "mine", '
        'others = "rule sheet: the names of the colours are read off the cards" }',
        "-jesters = { 1 = 3, 2 = 2 }",
        "-rings = 5  # as counted",
        '-source = "rule sheet: the names of the colours are read off the cards"',
    ]
    differing = {fact.name: (fact.bundled_text, fact.text) for fact in done.facts if fact.differs}
    assert differing == {"cards.rings": ("5", "6"), "cards.jesters.1": ("3", "2")}
    assert digest("figaro", done.text, tmp_path) != digest("figaro", text, tmp_path)


def test_what_is_confirmed_is_no_longer_reconstructed_and_still_the_same_box(own, tmp_path):
    text = bundled_box("shakespeare")
    names = ["stage.space.0.row", "costume_gain.7", "acts.length", "bag.costumes.2.pink"]
    done = entered("shakespeare", text, {}, confirmed=names)
    sources = {fact.name: fact.source for fact in done.facts}
    assert [sources[name] for name in names] == ["my copy"] * 4
    assert sources["stage.space.1.row"] == sources["stage.space.0.candle"]
    assert sources["bag.costumes.2.black"].startswith("reconstructed: in proportion")
    assert sources["bag.costumes.4.pink"] == "rulebook"
    assert digest("shakespeare", done.text, tmp_path) == digest("shakespeare", text, tmp_path)


def test_every_wrong_value_is_told_its_own_fault_and_changes_nothing():
    text = bundled_box("shakespeare")
    given = {
        "acts.length": "nine, 10, 10",
        "mood.lowest": "",
        "supply.plus3_tokens": "31",
        "board.starting": "author, falstaff",
        "character.5.activation": "red 1",
        "character.6.kind": "actress",
        "objective.3.points": "4 = 9",
        "stage.space.5.on": "a9",
        "queen.pounds": "5",
    }
    done = entered("shakespeare", text, given)
    assert done.text == text
    assert set(done.faults) == set(given) - {"queen.pounds"}
    assert done.faults["supply.plus3_tokens"] == (
        "31 is out of range; write a whole number from 0 to 30"
    )
    assert done.faults["acts.length"].startswith("'nine' is not a whole number")
    assert done.faults["mood.lowest"] == "missing; add lowest (a whole number from -2 to 0)"
    assert done.faults["character.5.activation"].startswith("'red 1' is no pair")


def test_a_fault_of_several_values_is_told_where_the_reader_sees_it():
    text = bundled_box("shakespeare")
    done = entered("shakespeare", text, {"rehearsal.act_3_prestige": "10 = 2, last = 3"})
    assert set(done.faults) == {"acts.length"}
    done = entered("shakespeare", text, {"character.20.copies": "5"})
    assert done.fault.startswith("[[character]]: the copies add up to 33 cards; change copies")
    assert "/" not in done.fault


def test_another_kind_of_card_asks_for_its_own_values():
    text = bundled_box("shakespeare")
    emptied = {"character.6.activation": "", "character.6.costume_power": ""}
    given = {"character.6.kind": "handyman", **emptied}
    done = entered("shakespeare", text, given)
    assert set(done.faults) == {"character.6.value"}
    assert "character.6.value" in {fact.name for fact in done.facts}
    done = entered("shakespeare", text, {**given, "character.6.value": "4"})
    assert done.is_good
    viola = tomllib.loads(done.text)["character"][6]
    assert {key: viola.get(key) for key in ("kind", "value", "activation")} == {
        "kind": "handyman",
        "value": 4,
        "activation": None,
    }


def test_what_may_be_missing_can_be_added_and_taken_away():
    text = bundled_box("shakespeare")
    given = {
        "stage.space.3.candle": "true",
        "stage.space.5.candle": "",
        "costume_gain.5": "pounds = 1",
        "costume_gain.6": "",
        "character.0.activation": "",
    }
    done = entered("shakespeare", text, given)
    assert done.is_good
    data = tomllib.loads(done.text)
    assert (data["stage"]["space"][3]["candle"], "candle" in data["stage"]["space"][5]) == (1, 0)
    assert (data["costume_gain"]["5"], "6" in data["costume_gain"]) == ({"pounds": 1}, False)
    assert data["character"][0]["activation"] == {}
    back = {fact.name: fact.bundled_text for fact in done.facts if fact.differs}
    assert set(back) == set(given)


def test_an_older_file_gets_the_tables_it_lacks_and_sources_where_there_were_none():
    text = bundled_box("shakespeare")
    start = text.index("[good_scores]")
    older = text[:start] + text[text.index("# ---- the four characters") :]
    older = "\n".join(line for line in older.splitlines() if not line.startswith("source = "))
    older = older[: older.index("\n[sources]") + 1] + older[older.index("[board]") :]
    done = entered("shakespeare", older, {"good_scores.4": "23", "character.5.cost": "4"})
    assert done.is_good
    sources = {fact.name: fact.source for fact in done.facts}
    assert (sources["character.5.cost"], sources["character.5.name"]) == ("my copy", "")
    assert "reconstructed" in tomllib.loads(done.text)["sources"]


def test_what_the_copy_lacks_is_taken_away_and_faults_keep_to_their_places():
    text = bundled_box("shakespeare")
    taken = ["stage.space.13", "objective.0"]
    done = entered("shakespeare", text, {"objective.3.points": "4 = 9"}, taken=taken)
    assert set(done.faults) == {"stage.space.9.mirror", "objective.3.points"}
    given = {"stage.space.9.mirror": "", "objective.3.points": "4 = 3"}
    done = entered("shakespeare", text, given, ["objective.5.points"], taken=taken)
    assert done.is_good
    data = tomllib.loads(done.text)
    assert "c5" not in [space["id"] for space in data["stage"]["space"]]
    first, *_ = data["objective"]
    assert first["id"] == "wardrobe"
    masterpiece = next(card for card in data["objective"] if card["id"] == "masterpiece")
    assert masterpiece["source"] == {"points": "my copy", "others": "reconstructed"}
    assert data["objective"][2]["points"] == {"4": 3}
    assert missing_from("shakespeare", data) == [
        "The stage: Space c5",
        "Objectives: First on the acts",
    ]


def test_what_the_copy_has_more_of_is_added_with_its_source():
    text = bundled_box("shakespeare")
    given = {
        "character.22.copies": "2",
        "character.23.name": "Page",
        "character.23.copies": "1",
        "stage.space.14.mirror": "",
    }
    added = {"character": ["page"], "stage.space": ["c6"], "no list": ["x"]}
    done = entered("shakespeare", text, given, added=added)
    assert done.is_good
    data = tomllib.loads(done.text)
    assert data["character"][-1] == {
        "id": "page",
        "source": "my copy",
        "name": "Page",
        "kind": "assistant",
        "copies": 1,
        "cost": 1,
    }
    assert data["stage"]["space"][-1]["id"] == "c6"
    done = entered("shakespeare", text, given, added={"character": ["Bad Id"]})
    assert done.fault.startswith("[[character]] Bad Id: id: 'Bad Id' is not an id")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no box", "this is not a TOML file"),
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


def test_sections_keep_the_order_of_the_file(own):
    sections = sections_of(own["shakespeare"].facts)
    assert [section for section, _ in sections][:4] == [
        "The board of every player",
        "Wagers",
        "The mood track",
        "The Queen",
    ]
    assert [heading for heading, _ in dict(sections)["Characters"]][4:6] == [
        "Lady Macbeth",
        "Hamlet",
    ]
