"""The box desk in the browser: nothing entered is lost, and a file is written whole."""

import html
import re
import tomllib

import pytest
from starlette.testclient import TestClient

from shakespeare_agents.findings.worth import worth_knowing
from shakespeare_agents.table.app import make_app
from shakespeare_agents.table.box_desk.facts import bundled_box
from shakespeare_agents.table.settings import Settings
from shakespeare_env.core import registry

NO_FILE = {"file": ("", b"")}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mine.toml"


@pytest.fixture
def desk(tmp_path, path):
    app = make_app(Settings(tmp_path / "games.sqlite", box_file=path))
    with TestClient(app, "http://127.0.0.1") as client:
        yield client


def fields_of(page):
    """The form as a browser would send it, without ticks."""
    select = r'<select [^>]*?name="([^"]+)".*?<option value="([^"]*)" selected'
    found = re.findall(r'<input [^>]*?name="([^"]+)" value="([^"]*)"', page)
    found += re.findall(select, page, re.S)
    ticks = ("confirmed.", "taken.")
    return {name: html.unescape(value) for name, value in found if not name.startswith(ticks)}


def send(desk, game, fields, action, file=NO_FILE, **more):
    return desk.post(f"/box/{game}", data={**fields, **more, "action": action}, files=file)


@pytest.mark.parametrize("game", registry.names())
def test_a_box_that_is_sent_back_as_it_came_is_the_bundled_one_to_the_byte(desk, game):
    """Every field has a label and says where its value comes from."""
    page = desk.get(f"/box/{game}").text
    done = send(desk, game, fields_of(page), "download")
    assert done.headers["content-disposition"] == f'attachment; filename="{game}_box.toml"'
    assert done.text == bundled_box(game)
    ids = re.findall(r'<(?:input|select) [^>]*?id="(f-[^"]+)"', page)
    assert len(ids) > 10
    for own in ids:
        assert f'<label for="{own}">' in page
        assert f'aria-describedby="h-{own[2:]}"' in page
        assert f'<p class="hint" id="h-{own[2:]}"' in page
    assert f'href="/box/{game}"' in desk.get("/box").text
    assert desk.get("/box/chess").status_code == 404


def test_a_wrong_value_is_named_beside_its_field_and_nothing_entered_is_lost(desk, path):
    fields = fields_of(desk.get("/box/shakespeare").text)
    entered = {
        "value.mood.highest": "9",
        "value.queen.pounds": "6",
        "value.character.4.name": '<b>&"',
        "source": "a friend's",
    }
    page = send(desk, "shakespeare", fields, "save", **entered, **{"confirmed.acts.length": "1"})
    assert (page.status_code, path.exists()) == (422, False)
    assert 'id="h-mood.highest">\n<strong class="refused">9 is out of range; write' in page.text
    assert 'name="confirmed.acts.length" value="1" checked' in page.text
    assert "<b>" not in page.text
    assert entered.items() <= fields_of(page.text).items()


def test_what_a_copy_has_more_and_less_of_is_entered_like_values(desk):
    fields = fields_of(desk.get("/box/shakespeare").text)
    changes = {"added.stage.space": "c6, c7", "taken.character.9": "1"}
    page = send(desk, "shakespeare", fields, "check", **changes)
    assert "the copies add up to 29 cards" in page.text
    assert 'name="taken.character.9" value="1" checked' in page.text
    again = fields_of(page.text)
    assert again["added.stage.space"] == "c6, c7"
    changes |= {"value.character.22.copies": "4", "value.stage.space.14.mirror": "c7"}
    changes |= {"value.stage.space.15.mirror": "c6"}
    page = send(desk, "shakespeare", again, "check", **changes)
    assert page.status_code == 200
    assert "Not in yours: Characters: Beatrice." in page.text


def test_a_saved_box_is_gone_on_with_and_nobody_elses_is_written_over(desk, path):
    fields = fields_of(desk.get("/box/figaro").text)
    page = send(desk, "figaro", fields, "save", **{"value.pile.full": "7"})
    assert f"Saved to {path}." in page.text
    assert f"FIGARO_BOX={path} shakespeare table" in page.text
    box = tomllib.loads(path.read_text())["pile"]
    assert box == {"source": {"full": "my copy", "others": "rule sheet"}, "full": 7}
    later = desk.get("/box/figaro").text
    fields = fields_of(later)
    assert fields["value.pile.full"] == "7"
    assert "<td>6</td><td>7</td><td>my copy</td>" in later
    # Something else writes meanwhile.
    path.write_text("# mine\n")
    page = send(desk, "figaro", fields, "save", **{"value.pile.full": "8"})
    assert "has been written by something else since this page was opened" in page.text
    assert path.read_text() == "# mine\n"
    assert fields_of(page.text)["value.pile.full"] == "8"
    # A file that is no box of the game is left alone.
    path.write_text(bundled_box("figaro"))
    other = desk.get("/box/shakespeare").text
    assert f"{path} is no box of this game" in other
    assert "Save to" not in other
    send(desk, "shakespeare", fields_of(other), "save")
    assert path.read_text() == bundled_box("figaro")


def test_a_box_of_ones_own_can_be_opened_and_a_broken_one_costs_nothing(desk):
    fields = fields_of(desk.get("/box/figaro").text)
    own = bundled_box("figaro").replace("full = 6", "full = 8  # printed")
    opened = send(desk, "figaro", fields, "open", file={"file": own})
    assert fields_of(opened.text)["value.pile.full"] == "8"
    fields["value.pile.full"] = "9"
    page = send(desk, "figaro", fields, "open", file={"file": b"\xff["})
    assert page.status_code == 422
    assert "this is not a TOML file" in page.text
    assert fields_of(page.text)["value.pile.full"] == "9"
    for tampered in ("", "[" * 3000):
        page = desk.post("/box/figaro", data={"text": tampered, "value.x": "7"}, files=NO_FILE)
        assert page.status_code in (200, 422)
        assert "what is printed" in page.text.lower()


def test_what_matters_most_is_named_first_and_leads_to_its_field(desk):
    page = desk.get("/box/shakespeare").text
    first = page[page.index("With five minutes") :].split("</ol>")[0]
    links = re.findall(r'<a href="#(f-[^"]+)">([^<]+)</a>: [^(]+\((\d+) %\)', first)
    measured = worth_knowing("shakespeare")[:5]
    assert [one.share for one in measured] == sorted((one.share for one in measured), reverse=True)
    assert [(name.lower(), int(share)) for _, name, share in links] == [
        (one.name.lower(), round(100 * one.share)) for one in measured
    ]
    assert all(f'id="{field}"' in page for field, _, _ in links)
    assert "With five minutes" not in desk.get("/box/figaro").text
