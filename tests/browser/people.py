"""People in tests, who look at a page and use a mouse, a finger or a keyboard."""

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
LANDSCAPE: dict[str, Any] = {**PHONE, "viewport": {"width": 844, "height": 390}}

_SEEN = """(before) => {
  const turn = document.getElementById("turn");
  const version = document.getElementById("version").value;
  if (!turn || version === before || window.readVersion !== version) return null;
  const {moves, confirm} = JSON.parse(turn.textContent);
  const over = document.querySelector("#moves a[href^='/review']") !== null;
  if (!moves.length && !over) return null;
  const lacking = moves.flatMap(([, places]) => places).filter(
    (name) => !document.querySelector(`#board [data-place="${CSS.escape(name)}"]`));
  return {version, moves, confirm, over, lacking};
}"""

# A place is in view if most of one of its drawings is visible between the bar at the top and, on a
# phone, the bar at the bottom.
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
# Things to touch of less than 44 CSS pixels in either direction (WCAG 2.2, 2.5.5), and places of
# the board of which other places leave less. Words in a text are exempt.
_TOO_SMALL = """() => {
  const found = [];
  const controls = "a, button, .button, summary, input, select, textarea, [role=button]";
  for (const it of document.querySelectorAll(`${controls}, #board .target`)) {
    if (!it.checkVisibility({visibilityProperty: true}) || it.type === "hidden") continue;
    if (it.matches(".skip, :is(p, li, dd, legend) :is(a, .term):not(.button)")) continue;
    let {width, height} = (it.closest("label.check") || it).getBoundingClientRect();
    if (it.matches(".target")) {
      it.scrollIntoView({block: "center"});
      const {left, right, top, bottom} = it.getBoundingClientRect();
      const met = (x, y) => document.elementFromPoint(x, y)?.closest(".target") === it;
      const middle = (top + bottom) / 2, across = [], down = [];
      for (let x = left; x < right; x++) if (met(x, middle)) across.push(x);
      const x = across[across.length >> 1];
      for (let y = top; y < bottom; y++) if (met(x, y)) down.push(y);
      [width, height] = [across.length, down.length];
    }
    const name = it.dataset.place || it.textContent || it.name || it.id;
    if (width < 43.9 || height < 43.9) found.push([name, width, height]);
  }
  return found;
}"""

# Texts of less than 11 pixels, in drawings too, with their sizes.
_SMALL_TEXTS = """() => {
  const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim(), holder = texts.currentNode.parentElement;
    if (!text || holder.closest("script, style, title, .skip")) continue;
    if (!holder.checkVisibility({visibilityProperty: true})) continue;
    const {width, height} = holder.getBoundingClientRect();
    let size = parseFloat(getComputedStyle(holder).fontSize);
    if (holder.ownerSVGElement) {
      const {a, b} = holder.getScreenCTM();
      size *= Math.hypot(a, b);
    }
    if (width > 1 && height > 1 && size > 0 && size < 10.95) found.push([text, size]);
  }
  return found;
}"""

_MOST_STOPS = 200


@dataclass
class Seen:
    """The state of a page once its person has to decide, or the game is over."""

    version: str
    moves: list[tuple[str, list[str], str]]
    confirm: list[str]
    over: bool


class Person:
    """A person who looks at a page and plays random moves, which the seed decides."""

    def __init__(self, page, seed: int = 0) -> None:
        self.page = page
        self.version = ""
        self._random = random.Random(seed)

    def begin(
        self, address: str, game: str, seats: list[str], seed: int = 1, position="", **fields
    ) -> None:
        """Begin a table in the lobby. Each of the seats is `person` or the name of an agent."""
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
        """Wait until there is something new for this person to decide, or the game is over."""
        found = self.page.wait_for_function(_SEEN, arg=self.version).json_value()
        assert found.pop("lacking") == [], "moves have places that are not on the board"
        self.version = found["version"]
        return Seen(**found)

    def decides(self):
        """Return whether this person is asked for a move."""
        return self.page.locator("#moves-title").count() > 0

    def choose(self, seen: Seen) -> tuple[str, list[str], str]:
        """Draw a move, each kind with the same probability."""
        by_kind: dict[str, list[tuple[str, list[str], str]]] = {}
        for choice in seen.moves:
            by_kind.setdefault(choice[0].partition(":")[0], []).append(choice)
        kind = self._random.choice(sorted(by_kind))
        return self._random.choice(by_kind[kind])

    def play_on(self, most: int = 1000) -> int:
        """Play until the game is over, but at most `most` moves, and return their number."""
        for played in range(most):
            seen = self.look()
            if seen.over:
                return played
            self.play(seen, *self.choose(seen))
        return most

    def play(self, seen: Seen, move: str, places: list[str], words: str) -> None:
        """Play a move by its places on the board, one after the other, or else by its button."""
        if not places:
            button = self.page.locator(f"#moves .direct button[value='{move}']")
            self.press(button)
            if move in seen.confirm:
                self.press(button)
            return
        for count, place in enumerate(places, 1):
            self.press(self._target(place))
            # The places of the moves that begin with the places clicked so far.
            begun = [others for _, others, _ in seen.moves if others[:count] == places[:count]]
            if len(begun) == 1:
                break  # the page plays the only move
            if any(len(others) == count for others in begun):
                wanted = words if count == len(places) else "Go on to the next place"
                self.press(self.page.get_by_role("button", name=wanted, exact=True))
        if move in seen.confirm:
            self.press(self._target(places[-1]))

    def _target(self, place):
        there = self.page.locator(f"#board .target[data-place='{place}']")
        return there.locator("visible=true").first

    def press(self, what) -> None:
        """Click an element."""
        what.click()


class TouchingPerson(Person):
    """A person who uses a finger."""

    def press(self, what) -> None:
        """Tap it."""
        what.tap()

    def _target(self, place):
        panel = self.page.locator(f"#board .board-panel:has(.pieces .target[data-place='{place}'])")
        if panel.count() and not panel.locator(".pieces").is_visible():
            panel.locator(".summary").tap()
        return super()._target(place)


class TypingPerson(Person):
    """A person without a mouse, who goes to places and buttons by Tab, or types a move."""

    def play(self, seen: Seen, move: str, places: list[str], words: str) -> None:
        """Play a move by the find field or by walking over the board, at random."""
        if self._random.random() < 0.5:
            self.press(self.page.locator("#finder > summary"))
            self.page.wait_for_function("() => document.activeElement.id === 'find'")
            self.page.keyboard.type(move)
            self.page.keyboard.press("Enter")
            if move in seen.confirm:
                self.page.keyboard.press("Enter")
            return
        super().play(seen, move, places, words)

    def press(self, what) -> None:
        """Go to an element with Tab, then press Enter."""
        what.wait_for(state="visible")
        for _ in range(_MOST_STOPS):
            if what.evaluate("(it) => it === document.activeElement"):
                break
            self.page.keyboard.press("Tab")
        else:
            raise AssertionError(f"Tab does not lead to {what}")
        self.page.keyboard.press("Enter")


def wait_for_log(page, count=0):
    """Return the lines of a page's log, one a move, once there are at least `count`."""
    page.wait_for_function(
        "(count) => document.querySelectorAll('#log .move-line').length >= count", arg=count
    )
    return page.locator("#log .move-line").all_text_contents()


def in_view(page) -> dict[str, Any]:
    """Return which places have changed or are legal to click, and which of them are in view."""
    found: dict[str, Any] = page.evaluate(_IN_VIEW)
    return found


def check_fit(page) -> None:
    """Check that nothing lies beyond a phone's screen or is too small for a finger."""
    width, room = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= room == page.viewport_size["width"], page.url
    too_small = page.evaluate(_TOO_SMALL)
    assert not too_small, (page.url, too_small)
    too_small = small_texts(page)
    assert not too_small, (page.url, too_small)


def small_texts(page) -> list[list[Any]]:
    """Return the texts of a page that are smaller than 11 pixels, each with its size."""
    found: list[list[Any]] = page.evaluate(_SMALL_TEXTS)
    return found


def serious_findings(page) -> list[str]:
    """Return the findings on a page that axe-core calls serious or critical, with their places."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe-playwright-python"
    )
    return [
        f"{found['id']} ({found['impact']}): {found['help']}: {node['html'][:200]}"
        for found in axe.Axe().run(page).response["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"][:3]
    ]
