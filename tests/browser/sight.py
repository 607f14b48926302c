"""What a person has in view at a table, measured while a game is played."""

from dataclasses import dataclass, field

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}

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


@dataclass
class Sight:
    """What one saw at the decisions of a game.

    Attributes:
        changed: Places that the others' moves have changed, before each decision.
        seen: Those of them in view.
        hidden: The others, for reports.
        decisions: Decisions that have a place on the board.
        reached: Those of them at which a legal place was in view.
        moves: Moves played.
        clicks: Clicks, or times something was dragged, that they took.
        screens: The height of the page at its highest, in screens.
    """

    changed: int = 0
    seen: int = 0
    hidden: list[str] = field(default_factory=list)
    decisions: int = 0
    reached: int = 0
    moves: int = 0
    clicks: int = 0
    screens: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.seen} of {self.changed} changed places in view, a legal one at {self.reached} "
            f"of {self.decisions} decisions, {self.clicks} clicks for {self.moves} moves, "
            f"{self.screens:.2f} screens at most; not in view: {sorted(set(self.hidden))[:12]}"
        )

    def look(self, page, others_moved: bool) -> None:
        """Count what is in view at a decision."""
        found = page.evaluate(_IN_VIEW)
        if others_moved:
            self.changed += len(found["changed"])
            self.seen += sum(seen for _, seen in found["changed"])
            self.hidden += [name for name, seen in found["changed"] if not seen]
        self.decisions += found["legal"] > 0
        self.reached += found["legal"] > 0 and found["first"]
        self.screens = max(self.screens, found["screens"])


def watched_game(person, most: int | None = None) -> Sight:
    """Play until the end, or some moves, and count what is in view."""
    sight, press = Sight(), person.press

    def counted(*what) -> None:
        sight.clicks += 1
        press(*what)

    person.press = counted
    number = -1
    while not (seen := person.look()).over and (most is None or sight.moves < most):
        now = int(person.page.input_value("#number"))
        sight.look(person.page, 0 <= number < now - 1)
        number = now
        person.play(seen, *person.choose(seen))
        sight.moves += 1
    return sight
