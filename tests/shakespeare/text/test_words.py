"""What a move does, in words."""

from shakespeare_env import Position
from tests.shakespeare import positions as p


def test_an_objective_is_named_to_its_seat_alone():
    drawn = {"drawn": ["jewels", "wardrobe", "patronage"]}
    d = p.position("objective", pending=drawn, seats={0: p.seat(used=["queen"], cylinders=1)})
    game = Position.from_dict(d)
    mine, others = (game.events("objective:jewels", seat=seat)[0].text for seat in (0, 1))
    assert mine == 'keeps objective "Yellow elements", 2 go under the pile'
    assert others == "keeps an objective, 2 go under the pile"
