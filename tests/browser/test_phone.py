"""The pages on a phone: nothing to scroll sideways, and targets for fingers."""

import pytest

from tests.browser.people import TouchingPerson

_WIDTH = 390
_PHONE = {
    "viewport": {"width": _WIDTH, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
_SMALLEST = 24
"""CSS pixels that a target has in either direction (WCAG 2.2, 2.5.8)."""
_TOO_SMALL = """(smallest) => {
  const found = [];
  for (const it of document.querySelectorAll("button, .button, input, select, #board .target")) {
    if (!it.checkVisibility({visibilityProperty: true}) || it.type === "hidden") continue;
    const {width, height} = (it.closest("label.check") || it).getBoundingClientRect();
    if (width < smallest || height < smallest) {
      found.push([it.dataset.place || it.textContent || it.name, width, height]);
    }
  }
  return found;
}"""


def _fits(page) -> None:
    width, room = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= room == _WIDTH
    assert page.evaluate(_TOO_SMALL, _SMALLEST) == []


_COVERED = """() => {
  const {left, top, width, height} =
    document.querySelector("#board .target > .mark").getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return seen === null || seen.closest(".target") === null;
}"""


def test_the_next_place_of_a_move_is_brought_into_view(server, new_page):
    person = TouchingPerson(new_page(**_PHONE))
    person.begin(server.address, "figaro", ["person"] * 3, one_screen=True)
    person.page.locator("#reveal").tap()
    person.page.wait_for_selector("#moves-title")
    first = next(places[0] for _, places, _ in person.look().moves if len(places) == 2)
    person.page.locator(f"#board .target[data-place='{first}']").tap()
    assert person.page.locator("#board .chosen").count() == 1
    assert not person.page.evaluate(_COVERED)


@pytest.mark.parametrize(
    ("game", "seats", "moves"),
    [("shakespeare", ["person", "random"], 9), ("figaro", ["person", "random", "random"], 5)],
)
def test_a_finger_plays_on_a_phone(server, new_page, game, seats, moves):
    person = TouchingPerson(new_page(**_PHONE), 2)
    person.begin(server.address, game, seats, seed=2)
    _fits(person.page)
    for _ in range(moves):
        seen = person.look()
        _fits(person.page)
        person.play(seen, *person.choose(seen))
    person.page.goto(server.address)
    _fits(person.page)
