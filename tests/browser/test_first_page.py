"""What a browser has to load before a table can be seen and played at."""

import pytest

from tests.browser.people import Person

_LARGEST = 300_000
"""Bytes on the wire, of all that a page needs."""


@pytest.mark.parametrize(
    ("game", "seats"),
    [("shakespeare", ["person"] + ["random"] * 3), ("figaro", ["person"] + ["random"] * 5)],
)
def test_the_first_page_of_a_table_is_light(server, new_page, game, seats):
    page = new_page()
    loaded = []
    page.on("requestfinished", lambda request: loaded.append(request))
    person = Person(page)
    person.begin(server.address, game, seats)
    person.look()
    sizes = {it.url: it.sizes()["responseBodySize"] for it in loaded}
    assert any("board.js" in address for address in sizes)
    assert 10_000 < sum(sizes.values()) < _LARGEST
