"""Folders that others write are read in the background, and shown as they grow."""

import re
import shutil
import time

import polars as pl
import pytest

from shakespeare_agents.arena.standings import standings_of
from shakespeare_agents.table.watching import watched as watching
from shakespeare_agents.table.watching.finding import ON_A_PAGE, find
from shakespeare_agents.table.watching.listing import DATASET, Lister, state_of
from shakespeare_agents.table.watching.watched import Watched
from shakespeare_env.cli.recorded_folders import from_folder, games_of
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


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.time = 1000.0

    def __call__(self):
        return self.time


@pytest.fixture
def restless(monkeypatch):
    """Folders are looked at again at once."""
    monkeypatch.setattr(watching, "_REST", 0.0)
    monkeypatch.setattr(watching, "_LOOKS_APART", 0.0)


def until(watched, holds):
    """What is seen as soon as something holds of it."""
    for _ in range(1000):
        seen = watched.seen()
        if holds(seen):
            return seen
        time.sleep(0.01)
    raise AssertionError(f"not so after a long time: {watched.seen()}")


def settled(watched):
    """What is seen once nothing more is to be read."""
    return until(watched, lambda seen: seen.version and seen.is_settled)


@pytest.mark.parametrize("kind", ["arena", "dataset"])
def test_games_are_listed_with_the_numbers_by_which_they_are_read_again(kind, request):
    folder = request.getfixturevalue(kind)
    listing = Lister(folder).read()
    assert (listing.kind, listing.game) == (kind, "figaro")
    found = find(listing).games
    known = list(games_of(folder))
    assert [game.game_id for game in found] == [game.game_id for game in reversed(known)]
    for game, same in zip(found, reversed(known), strict=True):
        assert [name for name, _, _ in game.seats] == list(same.agents)
        assert [score for _, score, _ in game.seats] == list(same.scores)
        assert game.moves == same.decisions
    assert len(from_folder(folder, found[0].game_id).moves) == found[0].moves


def test_a_forfeited_game_says_who_lost_it(arena):
    lost, *others = find(Lister(arena).read()).games
    assert lost.forfeit.startswith("failing forfeited it: ")
    assert [game.forfeit for game in others] == [""] * 3


def test_games_of_an_agent_are_found_by_a_part_of_its_name_whatever_the_case(dataset):
    listing = Lister(dataset).read()
    assert find(listing, " GUESS ").count == 9
    assert find(listing, "nobody").games == []
    assert find(listing, "g.*").count == 0


def test_pages_are_bounded_and_hold_every_game_once(dataset):
    listing = Lister(dataset).read()
    many = type(listing)(DATASET, "figaro", 90, 90, listing.games.sample(90, with_replacement=True))
    sizes = [len(find(many, page=page).games) for page in (1, 2, 3)]
    assert sizes == [ON_A_PAGE, ON_A_PAGE, 90 - 2 * ON_A_PAGE]
    ids = [game.game_id for page in (1, 2, 3) for game in find(many, page=page).games]
    assert ids == list(reversed(many.games["game_id"].to_list()))
    assert (find(many, page=99).page, find(many, page=-5).page) == (3, 1)


@pytest.mark.usefixtures("restless")
def test_a_dataset_is_followed_while_it_is_recorded_and_no_file_is_read_twice(
    tmp_path, monkeypatch
):
    settings = small_settings("figaro")
    cut_short(tmp_path / "games", settings, 1)
    read = []
    scan = pl.scan_parquet

    def scan_and_note(path, **more):
        read.append(path.name)
        return scan(path, **more)

    monkeypatch.setattr(pl, "scan_parquet", scan_and_note)
    watched = Watched(tmp_path / "games")
    before = settled(watched)
    assert before.listing.count < before.listing.planned == 9
    write(tmp_path / "games", settings)
    after = until(watched, lambda seen: seen.listing.count == 9)
    assert after.version > before.version
    assert after.listing.games["game_id"].to_list() == list(range(9))
    assert sorted(read) == [f"games-0000{number}.parquet" for number in range(3)]


@pytest.mark.usefixtures("restless")
def test_standings_are_computed_once_for_what_a_folder_holds(arena, tmp_path, monkeypatch):
    folder = shutil.copytree(arena, tmp_path / "copy")
    counted = []

    def count(rows):
        counted.append(rows.height)
        return standings_of(rows)

    monkeypatch.setattr(watching, "standings_of", count)
    watched = Watched(folder)
    seen = settled(watched)
    assert {*seen.standings.ladder["agent"]} == {"one", "other", "failing"}
    assert all(watched.seen() is seen for _ in range(20))
    assert counted == [4]


def test_a_folder_is_left_alone_for_a_while_after_it_was_read(arena, monkeypatch):
    looks = []

    def look(folder):
        looks.append(folder)
        return state_of(folder)

    monkeypatch.setattr(watching, "state_of", look)
    clock = Clock()
    watched = Watched(arena, clock)
    settled(watched)
    assert len(looks) == 1
    clock.time += 1000
    watched.seen()
    watched.seen()
    assert len(looks) == 2


@pytest.mark.usefixtures("restless")
def test_what_goes_wrong_is_told_and_what_was_read_stays(arena, tmp_path):
    folder = shutil.copytree(arena, tmp_path / "copy")
    watched = Watched(folder)
    assert settled(watched).listing.count == 4
    results_files(folder)[0].write_bytes(b"damaged")
    seen = until(watched, lambda seen: seen.fault)
    assert "cannot be read" in seen.fault
    assert seen.listing.count == 4


@pytest.mark.usefixtures("restless")
def test_a_folder_that_holds_nothing_yet_is_told_and_then_shown(dataset, tmp_path):
    watched = Watched(tmp_path / "games")
    assert "holds no games yet" in settled(watched).fault
    shutil.copytree(dataset, tmp_path / "games")
    seen = until(watched, lambda seen: seen.listing)
    assert (seen.fault, seen.listing.count) == ("", 9)


def test_the_pages_show_standings_and_games_and_say_only_what_is_new(arena, dataset, tmp_path):
    with served(tmp_path, folders=(arena, dataset, tmp_path / "none")) as client:
        overview = client.get("/folders").text
        assert all(f'href="/folders/{number}"' in overview for number in range(3))
        for _ in range(500):
            page = client.get("/folders/0").text
            if 'class="ladder"' in page:
                break
            time.sleep(0.01)
        assert re.search(r'<th scope="row">one</th><td class="number">[\d−,]+</td>', page)
        assert re.findall(r'href="(/review/folder/0/\d+)"', page) == [
            f"/review/folder/0/{number}" for number in (3, 2, 1, 0)
        ]
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
