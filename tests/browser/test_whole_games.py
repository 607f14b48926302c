"""Whole games in the browser, as people with a mouse or with a keyboard play them."""

from typing import Any

import pytest

from tests.browser.people import Person, TypingPerson

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
_FIRST_PAGE, _ANSWER = 300_000, 60_000
"""Bytes on the wire: at most of all that a page needs, and of a move's answer."""


@pytest.mark.parametrize(
    ("someone", "game", "seats"),
    [
        (Person, "shakespeare", ["person", *["random"] * 3]),
        (Person, "figaro", ["person", *["random"] * 5]),
        (TypingPerson, "shakespeare", ["person"]),
        (TypingPerson, "figaro", ["person", "random", "random"]),
    ],
)
def test_a_whole_game_is_played(server, new_page, someone, game, seats):
    """The page says at the end who has won, and what each score is made of."""
    person, loaded = someone(new_page()), list[Any]()
    page = person.page
    page.on("requestfinished", lambda request: loaded.append(request))
    person.begin(server.address, game, seats)
    sizes = [it.sizes()["responseBodySize"] for it in loaded]
    assert any("board.js" in it.url for it in loaded)
    assert 10_000 < sum(sizes) < _FIRST_PAGE
    assert person.play_to_the_end() > 15
    answers = [it for it in loaded if it.url.endswith("/play") or "/changes?" in it.url]
    assert max(it.sizes()["responseBodySize"] for it in answers) < _ANSWER
    assert page.get_by_text("How each score came about").is_visible()
    rows = page.locator("#moves tbody tr").all_inner_texts()
    table = [row.replace("−", "-").split("\t") for row in rows]
    totals = next(row for row in table if row[0].startswith("in all"))
    parts = [row for row in table if row[0] and not row[0].startswith("in all")]
    for seat in range(1, len(totals)):
        assert sum(int(row[seat]) for row in parts) == int(totals[seat])
    assert "wins" in rows[-1]
    assert axe.serious_findings(page) == []
