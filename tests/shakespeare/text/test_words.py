"""The words for objectives and days."""

from shakespeare_env import Position
from shakespeare_env.shakespeare.text.wording import day_words
from tests.shakespeare import positions as p


def test_an_objective_is_named_to_its_seat_alone():
    drawn = {"drawn": ["jewels", "wardrobe", "patronage"]}
    d = p.position("objective", pending=drawn, seats={0: p.seat(used=["queen"], cylinders=1)})
    game = Position.from_dict(d)
    mine = game.events("objective:jewels", seat=0)[0].text
    others = game.events("objective:jewels", seat=1)[0].text
    assert mine == 'keeps objective "Yellow elements", 2 go under the pile'
    assert others == "keeps an objective, 2 go under the pile"


def test_a_rehearsal_is_tonight_on_its_own_day_alone():
    """In the phase `rest` the position is on the next day, but for people it is evening."""
    said = {
        "wager": "day 4 of 6, rehearsal tonight",
        "mood": "evening of day 4 of 6, rehearsal tonight",
        "rest": "evening of day 3 of 6, rehearsal on day 4",
    }
    for phase, words in said.items():
        assert day_words({"day": 4, "phase": phase, "pending": None}) == words
