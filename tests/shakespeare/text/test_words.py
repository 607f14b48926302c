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


def test_a_mood_is_told_with_what_it_brings():
    """It moves back to 0, which is no further reward or punishment."""
    game = Position.new("shakespeare", players=2, seed=1)
    told = set[str]()
    while game.to_move is not None and len(told) < 2:
        move = game.moves()[len(game.moves()) // 2]
        texts = [event.text for event in game.events(move)]
        told |= {text.split(":")[0] for text in texts if ": back to 0, " in text}
        assert not any("served" in text for text in texts)
        game.push(move)
    assert told <= {"mood +1 rewarded", "mood +2 rewarded", "mood +3 rewarded"} | {
        "mood −1 punished",
        "mood −2 punished",
    }
    assert told
