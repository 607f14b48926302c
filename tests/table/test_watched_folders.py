"""Folders that others write are read in the background, and shown as they grow."""

import re
import shutil
import time
from itertools import chain
from typing import Any

import polars as pl
import pytest

from shakespeare_agents.table.watching import watched as watching
from shakespeare_agents.table.watching.listing import DATASET, ON_A_PAGE, Lister, find
from shakespeare_agents.table.watching.watched import Watched
from shakespeare_env.cli.recorded import from_folder
from shakespeare_env.datasets.results_reading import results_files
from tests.arena.small_arenas import written
from tests.contract.small_datasets import cut_short, small_settings, write
from tests.table.tables import served


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """Figaro: a match in three rotations, and a game that was forfeited."""
    return written("figaro", tmp_path_factory.mktemp("arena") / "field")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """Figaro: nine games in three files."""
    folder = tmp_path_factory.mktemp("dataset") / "games"
    write(folder, small_settings("figaro"))
    return folder


@pytest.fixture
def restless(monkeypatch):
    """Folders are looked at again at once."""
    monkeypatch.setattr(watching, "_REST", 0.0)
    monkeypatch.setattr(watching, "_LOOKS_APART", 0.0)


def until(watched, holds=lambda seen: seen.version and seen.is_settled):
    """What is seen as soon as something holds of it: that nothing more is to be read."""
    for _ in range(1000):
        seen = watched.seen()
        if holds(seen):
            return seen
        time.sleep(0.01)
    raise AssertionError(f"not so after a long time: {watched.seen()}")


def noted(monkeypatch, module, name, value):
    """What is passed from now on to a function, which does what it did."""
    found, done = list[Any](), getattr(module, name)

    def note(given, **more):
        found.append(value(given))
        return done(given, **more)

    monkeypatch.setattr(module, name, note)
    return found


@pytest.mark.parametrize("kind", ["arena", "dataset"])
def test_games_are_listed_with_the_numbers_by_which_they_are_read_again(kind, request):
    folder = request.getfixturevalue(kind)
    listing = Lister(folder).read()
    assert (listing.kind, listing.game) == (kind, "figaro")
    games = find(listing).games
    for game in games:
        again = from_folder(folder, game.game_id)
        assert [name for name, _, _ in game.seats] == list(again.names or ())
        assert game.moves == len(again.moves)
        lost = kind == "arena" and game is games[0]
        assert game.forfeit.startswith("seat 1 forfeited: ") if lost else not game.forfeit
        assert lost or [score for _, score, _ in game.seats] == again.position.scores()
    assert [game.game_id for game in games] == list(reversed(range(len(games))))


def test_games_are_found_by_a_part_of_a_name_and_pages_hold_each_once(dataset):
    listing = Lister(dataset).read()
    assert find(listing, " GUESS ").count == 9
    assert find(listing, "g.*").count == 0
    many = type(listing)(DATASET, "figaro", 90, 90, listing.games.sample(90, with_replacement=True))
    pages = [[game.game_id for game in find(many, page=page).games] for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [ON_A_PAGE, ON_A_PAGE, 90 - 2 * ON_A_PAGE]
    assert [*chain(*pages)] == many.games["game_id"].to_list()[::-1]
    assert (find(many, page=99).page, find(many, page=-5).page) == (3, 1)


@pytest.mark.usefixtures("restless")
def test_a_dataset_is_followed_while_it_is_recorded_and_no_file_is_read_twice(
    tmp_path, monkeypatch
):
    settings = small_settings("figaro")
    watched = Watched(tmp_path / "games")
    assert "holds no games yet" in until(watched).fault
    cut_short(tmp_path / "games", settings, 1)
    read = noted(monkeypatch, pl, "scan_parquet", lambda path: path.name)
    before = until(watched, lambda seen: seen.listing)
    assert before.listing.count < before.listing.planned == 9
    write(tmp_path / "games", settings)
    after = until(watched, lambda seen: seen.listing.count == 9)
    assert after.version > before.version
    assert after.listing.games["game_id"].to_list() == list(range(9))
    assert sorted(read) == [f"games-0000{number}.parquet" for number in range(3)]


@pytest.mark.usefixtures("restless")
def test_standings_are_computed_once_and_stay_when_something_goes_wrong(
    arena, tmp_path, monkeypatch
):
    folder = shutil.copytree(arena, tmp_path / "copy")
    counted = noted(monkeypatch, watching, "standings_of", lambda rows: rows.height)
    watched = Watched(folder)
    seen = until(watched)
    assert {*seen.standings.ladder["agent"]} == {"one", "other", "failing"}
    assert all(watched.seen() is seen for _ in range(20))
    assert counted == [4]
    results_files(folder)[0].write_bytes(b"damaged")
    seen = until(watched, lambda seen: seen.fault)
    assert "cannot be read" in seen.fault
    assert seen.listing.count == 4


def test_the_pages_show_standings_and_games_and_say_only_what_is_new(arena, dataset, tmp_path):
    with served(tmp_path, folders=(arena, dataset, tmp_path / "none")) as client:
        overview = client.get("/folders").text
        assert all(f'href="/folders/{number}"' in overview for number in range(3))
        page = ""
        for _ in range(500):
            page = client.get("/folders/0").text
            if 'class="ladder"' in page:
                break
            time.sleep(0.01)
        assert re.search(r'<th scope="row">one</th><td class="number">[\d−,]+</td>', page)
        assert re.findall(r'href="/review/folder/0/(\d+)"', page) == ["3", "2", "1", "0"]
        (news,) = (found.replace("&amp;", "&") for found in re.findall(r'hx-get="([^"]+)"', page))
        assert client.get(news).status_code == 204
        old = client.get(re.sub(r"since=[\w.]+", "since=another.1", news))
        assert old.text.startswith('<div id="news"')
        page = client.get("/folders/1?agent=guess&page=999999999").text
        assert page.count('href="/review/folder/1/') == 9
        assert "<strong>9</strong> of 9 games of Figaro" in page
        assert "No agent here has such a name." in client.get("/folders/1?agent=<b>").text
        assert "holds no games yet" in client.get("/folders/2").text
        assert client.get("/folders/3").status_code == 404
