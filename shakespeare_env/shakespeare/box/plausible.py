"""Facts that the rule book and reports of play state about every copy of Shakespeare.

`shakespeare check` names those that a box violates; `prior.py` draws boxes that violate none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from shakespeare_env.boxes import Constraints, must_equal
from shakespeare_env.shakespeare.box.facts import (
    ACTS,
    COLOURS,
    CRAFTSMEN,
    Box,
    Character,
    Gain,
    Power,
    Space,
)

CONSTRAINTS = Constraints()
_from_source = CONSTRAINTS.from_source

PLAIN = 6
"""The least value of a costume that pays."""
PRECIOUS = 15
"""The greatest value of a costume."""
_QUILLS = ("red", "gold", "blue", "white")
_FULL_BAG = {"black": 16, "pink": 16, "purple": 12, "blue": 12, "green": 8, "yellow": 8}
_REPORTED_SETS = {2: {"purple": 7, "blue": 5}, 3: {"purple": 10, "blue": 8}}
REPORTED_STEPS = {"complete_costumes": (4, 5), "sacrifice": (2, 5)}
"""Thresholds of objectives that play reports mention, by metric."""


def quills(power: Power) -> int:
    """Return the number of a power's quills of all colours."""
    return sum(getattr(power, colour) for colour in _QUILLS)


def _deck_cards(box: Box) -> list[Character]:
    return [card for card in box.characters if card.id not in box.starting]


def _bottom_row(box: Box) -> list[Space]:
    return [space for space in box.spaces if space.row == 1]


def _equal(source: str, name: str, says: str, **wanted: object) -> None:
    """Add a constraint on attributes of `Box` that have the same value in every copy.

    Args:
        source: Where the values can be read.
        name: The constraint's name.
        says: The constraint in words.
        **wanted: The values, by attribute.
    """

    def faults(box: Box) -> Iterator[str]:
        for fact, value in wanted.items():
            yield from must_equal(getattr(box, fact), value, fact.replace("_", " "))

    faults.__name__ = name
    faults.__doc__ = says
    _from_source(source)(faults)


# fmt: off
_equal("rulebook: setup (English, French; the German text lacks it)", "starting_prestige",
       "Everybody begins with 5 prestige.", starting_prestige=5)
_equal("rulebook: contents, wager", "cylinders", "Everybody has 5 cylinders.", cylinders=5)
_equal("rulebook: the Queen", "the_queen",
       "The Queen gives 4 pounds, or three objectives to choose one from.",
       queen_pounds=4, queen_objectives=3)
_equal("rulebook: ambiance", "mood_track", "Mood runs from -2 to +3.",
       lowest_mood=-2, highest_mood=3)
_equal("rulebook: contents", "tokens", 'There are eight "+3" tokens.', plus3_tokens=8)
_equal("rulebook: costume mistress, set dresser, jeweler", "element_values",
       "Elements are worth 1 to 5, from black to green, and yellow ones 3.",
       element_values=dict(zip(COLOURS, (1, 2, 3, 4, 5, 3), strict=True)))
_equal("rulebook: strategies", "good_scores",
       "A good winning score is 22 with four seats, 24 with three, 26 with two and 30 alone.",
       good_scores={1: 30, 2: 26, 3: 24, 4: 22})
# fmt: on


@_from_source("rulebook: the example of day 1, theme")
def the_board(box: Box) -> Iterator[str]:
    """The board has an Author of two white quills, Falstaff, a Handyman of 4 and the Queen."""
    board = {card.id: card for card in box.characters if card.id in box.starting}
    if not {"author", "falstaff"} <= {*board}:
        yield "the board lacks author or falstaff"
        return
    yield from must_equal(board["author"].activation, Power(white=2), "the Author's power")
    # Of the board's characters, only the Handyman has a value.
    handymen = [card.value for card in board.values() if card.value]
    yield from must_equal(handymen, [4], "the value of the board's Handyman")


@_from_source("rulebook: contents, setup")
def full_bags(box: Box) -> Iterator[str]:
    """With four seats, each bag holds all of its 72 elements."""
    for kind, by_seats in box.bags.items():
        yield from must_equal(by_seats[4], _FULL_BAG, f"{kind} for four seats")


@_from_source("rulebook: contents; fewer seats take from the same elements")
def smaller_bags(box: Box) -> Iterator[str]:
    """With fewer seats, a bag holds no more elements of any colour."""
    for kind, by_seats in box.bags.items():
        for (fewer, smaller), (more, larger) in pairwise(sorted(by_seats.items())):
            for colour in smaller:
                if smaller[colour] > larger[colour]:
                    counts = f"{smaller[colour]} {colour} {kind} for {fewer} seats"
                    yield f"{counts}, for {more} {larger[colour]}"


@_from_source("public: play reports")
def reported_bags(box: Box) -> Iterator[str]:
    """There are 7 purple and 5 blue stage sets for two seats, 10 and 8 for three."""
    for seats, wanted in _REPORTED_SETS.items():
        bag = box.bags["sets"][seats]
        found = {colour: bag[colour] for colour in bag if colour in wanted}
        yield from must_equal(found, wanted, f"stage sets for {seats} seats")


@_from_source(
    "rulebook: scoring the acts (English, German, French; the Italian has Act I pay on the eighth)"
)
def pay_of_the_acts(box: Box) -> Iterator[str]:
    """Act I pays more at 5, 7 and its last space, Act III at 6, 8 and last; Act II two places."""
    first, _, third = box.act_lengths
    paid = box.rehearsals
    yield from must_equal(box.pay[0], ((5, 1), (7, 3), (first, 5)), "Act I")
    yield from must_equal(paid.act_2_prestige, (2, 1), "Act II")
    yield from must_equal(box.pay[2], ((6, 1), (8, 2), (third, 3)), "Act III")
    yield from must_equal(paid.grey_spaces, 3, "spaces that cost prestige")
    yield from must_equal(paid.days, (4, 6), "days of rehearsals")


@_from_source("rulebook: scoring the acts, solo variant")
def lengths_of_the_acts(box: Box) -> Iterator[str]:
    """Acts I and II have 8 spaces or more, Act III more than 8."""
    # `inner` is a space of the act that the rule book shows not to be its last.
    for name, length, inner in zip(ACTS, box.act_lengths, (7, 7, 8), strict=True):
        if length <= inner:
            yield f"Act {name} has {length} spaces; space {inner} is not its last"
    neutral = box.neutral_start, box.neutral_later
    yield from must_equal(neutral, (4, 8), "spaces of the neutral discs")


@_from_source("rulebook: end of the game")
def costs(box: Box) -> Iterator[str]:
    """A card costs 1, 3 or 5 pounds."""
    for card in _deck_cards(box):
        if card.cost not in (1, 3, 5):
            yield f"{card.name} costs {card.cost}"


@_from_source("rulebook: strategies")
def wages_of_winners(box: Box) -> Iterator[str]:
    """The seven dearest cards cost 23 pounds or more; extras cost nothing."""
    costs = sorted(card.cost for card in _deck_cards(box) for _ in range(card.copies))
    most = sum(costs[-7:])
    if most < 23:
        yield f"seven recruits cost {most} pounds at most"


@_from_source("rulebook: craftsmen")
def craftsmen(box: Box) -> Iterator[str]:
    """Costume mistresses and set dressers have values of 6 and 8, handymen of 4."""
    for kind, wanted in zip(CRAFTSMEN, ((6, 8), (6, 8), (4,)), strict=True):
        found = tuple(sorted({card.value for card in _deck_cards(box) if card.kind == kind}))
        yield from must_equal(found, wanted, f"values of a {kind.replace('_', ' ')}")


@_from_source("rulebook: other characters")
def jewelers_and_assistants(box: Box) -> Iterator[str]:
    """The deck has jewelers and assistants."""
    for kind in ("jeweler", "assistant"):
        if not any(card.kind == kind for card in _deck_cards(box)):
            yield f"no {kind}"


@_from_source("rulebook: actors")
def actors_act(box: Box) -> Iterator[str]:
    """An actor's power moves its discs, or does something special."""
    for card in box.characters:
        if card.kind == "actor" and card.activation == Power():
            yield f"{card.name} does nothing"


@_from_source("rulebook: dress rehearsal")
def costumes_advance(box: Box) -> Iterator[str]:
    """Costume powers move discs, except Viola's and Hamlet's, which give something else."""
    for card in box.characters:
        if card.kind != "actor":
            continue
        power = card.costume_power
        moves = quills(power)
        gives = bool(power.pounds or power.prestige)
        # Only these two costumes give something else, and they give no quills.
        if (gives and moves) or gives != (card.id in ("viola", "hamlet")):
            more = ", and more" if gives else ""
            yield f"the costume of {card.name} gives {moves} quills{more}"


@_from_source("rulebook: the example of day 4")
def examples_of_costumes(box: Box) -> Iterator[str]:
    """Lady Macbeth's costume moves each disc, Hamlet's gives 1 prestige, an extra's a quill."""
    worn = {card.id: card.costume_power for card in box.characters}
    examples = {"lady_macbeth": Power(red=1, gold=1, blue=1), "hamlet": Power(prestige=1)}
    for actor, wanted in examples.items():
        yield from must_equal(worn.get(actor), wanted, f"the costume power of {actor}")
    yield from must_equal(box.extra_power, Power(white=1), "the costume power of an extra")


@_from_source("public: play reports")
def reported_powers(box: Box) -> Iterator[str]:
    """Falstaff, Puck, Titania raise mood; Hamlet lowers others'; Lear takes a blue stage set."""
    found = {card.id: card.activation for card in box.characters}
    falstaff = found.get("falstaff", Power())
    yield from must_equal(falstaff, Power(mood=2), "Falstaff's power")
    for actor in ("puck", "titania"):
        if found.get(actor, Power()).mood < 1:
            yield f"{actor} does not raise mood"
    if found.get("hamlet", Power()).others_mood > -1:
        yield "hamlet does not lower the others' mood"
    yield from must_equal(
        found.get("lear", Power()).take_set, "blue", "the stage set that lear takes"
    )


@_from_source("rulebook: costume tailoring, the example of day 1")
def plain_costumes(box: Box) -> Iterator[str]:
    """A costume of value 6 pays 2 pounds, and cheaper ones pay nothing."""
    cheap = [value for value in box.costume_gain if value < PLAIN]
    yield from (f"a costume of {value} pays" for value in cheap)
    yield from must_equal(box.costume_gain.get(PLAIN), Gain(pounds=2), "a costume of 6")


@_from_source("rulebook: theme")
def precious_costumes(box: Box) -> Iterator[str]:
    """The most precious costume pays prestige and no money."""
    best = box.costume_gain.get(PRECIOUS, Gain())
    if best.pounds or not best.prestige:
        yield f"a costume of {PRECIOUS} pays {best.pounds} pounds and {best.prestige} prestige"


@_from_source("rulebook: theme, by inference")
def rising_prestige(box: Box) -> Iterator[str]:
    """A dearer costume pays no less prestige; beyond some value, none pays money."""
    gains = [box.costume_gain.get(value, Gain()) for value in range(PLAIN, PRECIOUS + 1)]
    for value, (less, more) in enumerate(pairwise(gains), PLAIN + 1):
        if more.prestige < less.prestige:
            yield f"a costume of {value} pays less prestige than one of {value - 1}"
        if more.pounds and not less.pounds:
            yield f"a costume of {value} pays money, but one of {value - 1} pays none"


@_from_source("rulebook: the example of day 1")
def bottom_row(box: Box) -> Iterator[str]:
    """The bottom row has a centre and at least five spaces."""
    row = _bottom_row(box)
    if len(row) < 5 or not any(space.mirror == space.id for space in row):
        yield f"the bottom row has {len(row)} spaces; it needs five, and a centre"


@_from_source("rulebook: stage set construction")
def bricks(box: Box) -> Iterator[str]:
    """A space above the bottom row rests on one or two others, no two spaces on the same ones."""
    above = [space for space in box.spaces if space.row > 1]
    for space in above:
        if not 1 <= len(space.on) <= 2:
            yield f"{space.id} rests on {len(space.on)} spaces"
    if len({space.on for space in above}) < len(above):
        yield "two spaces rest on the same ones"


@_from_source("rulebook: stage set construction; a stage is symmetrical, by inference")
def candles(box: Box) -> Iterator[str]:
    """There are candles, mirrored as the colours are."""
    by_id = {space.id: space for space in box.spaces}
    if not any(space.candle for space in box.spaces):
        yield "no candle"
    for space in box.spaces:
        if space.candle and not by_id[space.mirror].candle:
            yield f"a candle on {space.id} and none on {space.mirror}"


@_from_source("rulebook: the example of day 1, by inference")
def spaces_without_a_candle(box: Box) -> Iterator[str]:
    """The bottom row has no candles, and nor have the spaces that rest on its centre."""
    centres = {space.id for space in _bottom_row(box) if space.mirror == space.id}
    on_centre = [
        space
        for space in box.spaces
        if space.row == 2 and len(space.on) == 2 and centres & {*space.on}
    ]
    if not on_centre:
        yield "nothing rests on the centre of the bottom row"
    unlit = [*_bottom_row(box), *on_centre]
    yield from (f"a candle on {space.id}" for space in unlit if space.candle)


@_from_source("rulebook: contents, end of the game")
def objectives(box: Box) -> Iterator[str]:
    """There are ten objectives; each gives 1 to 3 prestige at most."""
    yield from must_equal(len(box.objectives), 10, "objectives")
    for card in box.objectives:
        if not 1 <= max((prestige for _, prestige in card.points), default=0) <= 3:
            yield f"{card.name} gives nothing"


@_from_source("rulebook: solo variant")
def first_places(box: Box) -> Iterator[str]:
    """One objective gives 1 prestige for each first place on an act."""
    found = [card.points for card in box.objectives if card.metric == "first_places"]
    yield from must_equal(found, [((1, 1), (2, 2), (3, 3))], "the objective of first places")


@_from_source("public: play reports")
def reported_objectives(box: Box) -> Iterator[str]:
    """One objective asks for 4 or 5 costumes, one for 2 or 5 pounds."""
    for metric, wanted in REPORTED_STEPS.items():
        cards = [card for card in box.objectives if card.metric == metric]
        found = [tuple(threshold for threshold, _ in card.points) for card in cards]
        yield from must_equal(found, [wanted], f"steps of the objective {metric.replace('_', ' ')}")
