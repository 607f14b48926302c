"""Whole games in the browser, as people with a mouse or with a keyboard play them."""

import pytest

from tests.browser.people import Person, TypingPerson

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
_TABLES = [
    ("shakespeare", ["person"]),
    ("shakespeare", ["person", "random"]),
    ("figaro", ["person", "random", "random"]),
]
_LARGEST_ANSWER = 60_000
"""Bytes that a move's answer takes on the wire."""


def _number(told):
    return int(told.replace("−", "-"))


def _has_ended(page) -> None:
    """The page says who has won, and what each score is made of."""
    assert page.get_by_text("How each score came about").is_visible()
    rows = page.locator("#moves tbody tr").all_inner_texts()
    totals = next(row.split("\t") for row in rows if row.startswith("in all"))
    for seat in range(1, len(totals)):
        parts = [row.split("\t")[seat] for row in rows if not row.startswith(("in all", "\t"))]
        assert sum(int(part.replace("−", "-")) for part in parts) == int(
            totals[seat].replace("−", "-")
        )
    assert "wins" in rows[-1]
    assert axe.serious_findings(page) == []


@pytest.mark.parametrize(("game", "seats"), _TABLES)
def test_a_whole_game_is_played_by_clicks_on_the_board(server, new_page, game, seats):
    person = Person(new_page())
    answers = []
    person.page.on("requestfinished", lambda request: answers.append(request))
    person.begin(server.address, game, seats)
    assert person.play_to_the_end() > 20
    _has_ended(person.page)
    answers = [it for it in answers if it.url.endswith("/play") or "/changes?" in it.url]
    sizes = [it.sizes()["responseBodySize"] for it in answers]
    assert max(sizes) < _LARGEST_ANSWER


@pytest.mark.parametrize(("game", "seats"), [_TABLES[0], _TABLES[2]])
def test_a_whole_game_is_played_by_keyboard(server, new_page, game, seats):
    person = TypingPerson(new_page())
    person.begin(server.address, game, seats)
    assert person.play_to_the_end() > 20
    _has_ended(person.page)
