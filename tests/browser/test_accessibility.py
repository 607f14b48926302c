"""What axe-core finds on every page: nothing serious."""

import pytest

from tests.browser.people import Person

axe = pytest.importorskip("tests.browser.axe_findings", reason="needs axe-playwright-python")
_LOOKS = [{}, {"viewport": {"width": 390, "height": 844}}]


@pytest.mark.parametrize("look", _LOOKS, ids=["desktop", "phone"])
def test_nothing_serious_on_pages_of_forms_and_faults(server, new_page, look):
    page = new_page(**look)
    page.expected.append("status of 4")
    for address in ("", "?game=figaro&players=6", "?game=none", "no/such/page"):
        page.goto(server.address + address)
        assert axe.serious_findings(page) == [], address


@pytest.mark.parametrize("look", _LOOKS, ids=["desktop", "phone"])
@pytest.mark.parametrize(
    ("game", "seats"),
    [("shakespeare", ["person", "random"]), ("figaro", ["person", "random", "random"])],
)
def test_nothing_serious_at_a_table(server, new_page, game, seats, look):
    person = Person(new_page(**look), 1)
    page = person.page
    person.begin(server.address, game, seats)
    seen = person.look()
    assert axe.serious_findings(page) == []
    if game == "figaro":
        first = next(places[0] for _, places, _ in seen.moves if len(places) > 1)
        page.locator(f"#board .target[data-place='{first}']").click()
        assert page.locator("#board .chosen").count() == 1
        assert axe.serious_findings(page) == []
    page.goto(page.get_by_role("link", name="this link").evaluate("(it) => it.href"))
    assert axe.serious_findings(page) == []


def test_nothing_serious_where_a_move_has_to_be_told_from_another(server, new_page):
    person = Person(new_page())
    person.begin(server.address, "shakespeare", ["person"])
    while not (alike := _alike(seen := person.look())):
        person.play(seen, *person.choose(seen))
    for place in alike:
        person.page.locator(f"#board .target[data-place='{place}']").click()
    assert person.page.get_by_text("Which move?").is_visible()
    assert axe.serious_findings(person.page) == []
    person.page.keyboard.press("Escape")
    assert person.page.get_by_text("Which move?").count() == 0
    assert person.page.locator("#board .chosen").count() == 0


def _alike(seen) -> list[str]:
    """Places that two moves have in common, if there are such moves."""
    places = [places for _, places, _ in seen.moves]
    return next((one for one in places if places.count(one) > 1 and one), [])
