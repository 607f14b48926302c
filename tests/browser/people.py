"""People at a table: they see a page, and use a mouse, a finger or a keyboard; what they see."""

import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}

_SEEN = """(before) => {
  const turn = document.getElementById("turn");
  const version = document.getElementById("version").value;
  if (!turn || version === before || window.readVersion !== version) return null;
  const moves = JSON.parse(turn.textContent).moves;
  const over = document.querySelector("#moves a[href^='/review']") !== null;
  if (!moves.length && !over) return null;
  const lacking = moves.flatMap(([, places]) => places).filter(
    (name) => !document.querySelector(`#board [data-place="${CSS.escape(name)}"]`));
  return {version, moves, over, lacking};
}"""

# A place is in view if most of one of its drawings can be seen between the bar at the top and,
# on a phone, the one at the bottom.
_IN_VIEW = """(names) => {
  const top = Math.max(0, document.querySelector(".bar").getBoundingClientRect().bottom);
  const moves = document.getElementById("moves");
  const fixed = moves && getComputedStyle(moves).position === "fixed";
  const bottom = fixed ? moves.getBoundingClientRect().top : innerHeight;
  const seen = (it) => {
    if (!it.checkVisibility()) return false;
    const {top: from, bottom: to, left, right, height} = it.getBoundingClientRect();
    const shown = Math.min(to, bottom) - Math.max(from, top);
    return left >= -2 && right <= innerWidth + 2 && shown >= 0.6 * height;
  };
  const there = (name, mark) =>
    [...document.querySelectorAll(`#board ${mark}[data-place="${CSS.escape(name)}"]`)];
  const turn = JSON.parse(document.getElementById("turn").textContent);
  const changed = turn.changed.map((name) => [name, there(name, "").some(seen)]);
  const legal = [...document.querySelectorAll("#board .target")];
  const screens = document.documentElement.scrollHeight / innerHeight;
  return {changed, legal: legal.length, first: legal.some(seen), screens};
}"""
# Targets of less than 24 CSS pixels in either direction (WCAG 2.2, 2.5.8).
_TOO_SMALL = """() => {
  const found = [];
  for (const it of document.querySelectorAll("button, .button, input, select, #board .target")) {
    if (!it.checkVisibility({visibilityProperty: true}) || it.type === "hidden") continue;
    const {width, height} = (it.closest("label.check") || it).getBoundingClientRect();
    if (width < 24 || height < 24) {
      found.push([it.dataset.place || it.textContent || it.name, width, height]);
    }
  }
  return found;
}"""

_MOST_STOPS = 200


@dataclass
class Seen:
    """What a page says when its person is to decide, or the game is over."""

    version: str
    moves: list[tuple[str, list[str], str]]
    over: bool


class Person:
    """Somebody who looks at a page and chooses moves at random; repeatably."""

    def __init__(self, page, seed: int = 0) -> None:
        self.page = page
        self.version = ""
        self._random = random.Random(seed)

    def begin(
        self, address: str, game: str, seats: list[str], seed: int = 1, position="", **fields
    ) -> None:
        """Begin a table in the lobby; a seat is `person`, or an agent's name."""
        form = {"game": game, "players": len(seats), "position": position}
        self.page.goto(f"{address}?{urlencode(form)}")
        self.page.get_by_label("Seed").fill(str(seed))
        for seat, who in enumerate(seats):
            self.page.locator(f"[name=seat{seat}]").select_option(who)
        for name, value in fields.items():
            self.page.locator(f"[name={name}]").fill(value)
        self.page.get_by_role("button", name="Begin").click()
        self.page.wait_for_selector("#turn", state="attached")

    def look(self) -> Seen:
        """Wait for something to decide that is new to this person, or for the end."""
        found = self.page.wait_for_function(_SEEN, arg=self.version).json_value()
        assert found.pop("lacking") == [], "moves have places that are not on the board"
        self.version = found["version"]
        return Seen(**found)

    def decides(self):
        """Whether this person is asked for a move."""
        return self.page.locator("#moves-title").count() > 0

    def choose(self, seen: Seen) -> tuple[str, list[str], str]:
        """A move, each kind of them as likely as the others."""
        kind = self._random.choice(sorted({move.partition(":")[0] for move, _, _ in seen.moves}))
        return self._random.choice([it for it in seen.moves if it[0].partition(":")[0] == kind])

    def play_on(self, most: int = 1000) -> int:
        """Play until the game is over, or so many moves; how many it were."""
        for played in range(most):
            if (seen := self.look()).over:
                return played
            self.play(seen, *self.choose(seen))
        return most

    def play(self, seen: Seen, move: str, places: list[str], words: str) -> None:
        """Play a move by the places on the board, one after the other; else by its button."""
        if not places:
            self.press(self.page.locator(f"#moves .direct button[value='{move}']"))
            return
        for count, place in enumerate(places, 1):
            self.press(self._target(place))
            alike = [it for it in seen.moves if it[1][:count] == places[:count]]
            if len(alike) == 1:
                break  # the page plays it
            if any(len(it[1]) == count for it in alike):
                wanted = words if count == len(places) else "Go on to the next place"
                self.press(self.page.get_by_role("button", name=wanted, exact=True))

    def _target(self, place):
        there = self.page.locator(f"#board .target[data-place='{place}']")
        return there.locator("visible=true").first

    def press(self, what) -> None:
        """Use something of the page."""
        what.click()


class TouchingPerson(Person):
    """Uses a finger."""

    def press(self, what) -> None:
        """Tap it."""
        what.tap()


class TypingPerson(Person):
    """Has no mouse: walks to a place or a button with the Tab key, or names a move."""

    def play(self, seen: Seen, move: str, places: list[str], words: str) -> None:
        """Play a move by the find field or by walking over the board, in turns."""
        if self._random.random() < 0.5:
            self.press(self.page.locator("#finder > summary"))
            self.page.wait_for_function("() => document.activeElement.id === 'find'")
            self.page.keyboard.type(move)
            self.page.keyboard.press("Enter")
            return
        super().play(seen, move, places, words)

    def press(self, what) -> None:
        """Walk there with Tab, then press Enter."""
        what.wait_for(state="visible")
        for _ in range(_MOST_STOPS):
            if what.evaluate("(it) => it === document.activeElement"):
                break
            self.page.keyboard.press("Tab")
        else:
            raise AssertionError(f"Tab does not lead to {what}")
        self.page.keyboard.press("Enter")


def wait_for_log(page, count=0):
    """The log of a page, a move a line, once it holds as many moves or more."""
    page.wait_for_function(
        "(count) => document.querySelectorAll('#log li').length >= count", arg=count
    )
    return page.locator("#log li").all_text_contents()


def in_view(page) -> dict[str, Any]:
    """What others have changed and whether each is in view; the same of legal places."""
    found: dict[str, Any] = page.evaluate(_IN_VIEW)
    return found


def fits(page) -> None:
    """Nothing is beyond the screen of a phone, or too small for a finger."""
    width, room = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= room == PHONE["viewport"]["width"], page.url
    assert page.evaluate(_TOO_SMALL) == [], page.url


def serious_findings(page) -> list[str]:
    """What axe-core calls serious or critical on a page, each with where it is."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe-playwright-python"
    )
    return [
        f"{found['id']} ({found['impact']}): {found['help']}: {node['html'][:200]}"
        for found in axe.Axe().run(page).response["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"][:3]
    ]
