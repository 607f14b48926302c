"""Pictures of a table by link: no more than the page of whoever asks shows."""

import pytest

from shakespeare_env.core import registry
from shakespeare_env.core.presentation import Marks
from tests.table.tables import begun, moves, play, site_of, watching


@pytest.mark.parametrize("game", registry.names())
def test_a_picture_shows_what_its_link_may_see(client, game):
    seats = ["person"] * max(registry.seats(game)[0], 2)
    mover, other = begun(client, game=game, seats=seats, seed=3)
    page = client.get(mover)
    play(client, mover, page, moves(page)[0])
    table = site_of(client).tables.get(watching(page).removeprefix("/watch/"))
    assert table is not None
    now = table.now()
    names = Marks(now.plan.names)
    for address, seat in ((mover, now.positions[0].to_move), (watching(page), None)):
        for number, path in ((1, "picture.svg"), (0, "0/picture.svg")):
            seen = now.positions[number].seen_by(seat)
            drawn = now.position.game.presentation.picture(seen, names)
            assert client.get(f"{address}/{path}").text == drawn
    whole = now.position.svg(names)
    for address in (mover, other, watching(page)):
        assert client.get(f"{address}/picture.svg").text != whole
    assert client.get(f"{mover}/picture.png").content.startswith(b"\x89PNG")
    assert client.get(f"{mover}/2/picture.svg").status_code == 404
    assert client.get("/seat/nobody/picture.svg").status_code == 404
