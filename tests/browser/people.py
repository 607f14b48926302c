"""People at a table: they see a page, and use a mouse, a finger or a keyboard."""

import random
from dataclasses import dataclass

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

# How often Tab has to be pressed to get to an element; -1 if that cannot be known from here.
_STEPS_TO = """(wanted) => {
  if (wanted === document.activeElement) return 0;
  const stops = [...document.querySelectorAll(
    "a[href], button, input, select, summary, [tabindex='0']")]
    .filter((stop) => stop.checkVisibility({visibilityProperty: true}) && stop.type !== "hidden");
  const from = stops.indexOf(document.activeElement);
  return stops.indexOf(wanted) > from ? stops.indexOf(wanted) - from : -1;
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

    def begin(self, address: str, game: str, seats: list[str], seed: int = 1, **fields) -> None:
        """Begin a table in the lobby; a seat is `person`, or an agent's name."""
        self.page.goto(f"{address}?game={game}&players={len(seats)}")
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

    def play_to_the_end(self) -> int:
        """Play until the game is over; how many moves that took."""
        played = 0
        while not (seen := self.look()).over:
            self.play(seen, *self.choose(seen))
            played += 1
        return played

    def play_some(self, moves: int) -> None:
        """Play a few moves."""
        for _ in range(moves):
            seen = self.look()
            self.play(seen, *self.choose(seen))

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


class DraggingPerson(Person):
    """Drags what has a place to go."""

    def play(self, seen: Seen, move: str, places: list[str], words: str) -> None:
        """Drag from the first place to the second, if the move has just these."""
        if len(places) != 2:
            super().play(seen, move, places, words)
            return
        self.press(*map(self._target, places))
        if [it[1][:2] for it in seen.moves].count(places) > 1:
            self.press(self.page.get_by_role("button", name=words, exact=True))

    def press(self, what, onto=None) -> None:
        """Click it, or drag it onto something."""
        if onto is None:
            what.click()
            return
        what.hover()
        at = what.bounding_box()
        self.page.mouse.down()
        self.page.mouse.move(at["x"] + at["width"] / 2 + 20, at["y"] + at["height"] / 2)
        onto.hover()
        self.page.mouse.up()


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
            steps = what.evaluate(_STEPS_TO)
            if steps == 0:
                break
            for _ in range(max(steps, 1)):
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


def board_of(page):
    """The pieces of the board as they were sent, without the marks that the page puts on them."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#board svg")].map((piece) => {
          const copy = piece.cloneNode(true);
          for (const it of copy.querySelectorAll(".mark, .changed-mark")) it.remove();
          const given = ["class", "tabindex", "role", "aria-label"];
          for (const it of copy.querySelectorAll("[data-place]")) {
            for (const name of given) it.removeAttribute(name);
          }
          return copy.outerHTML;
        })"""
    )
