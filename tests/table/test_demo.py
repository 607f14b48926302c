"""Agents that play in a loop for an audience."""

import re

from shakespeare_agents.table import demo
from shakespeare_env.core import registry
from tests.table.tables import seen, served, text_of


def shown(page):
    """The table on show, empty as long as the first one is played."""
    found = re.search(r'data-table="([\w-]+)"', page.text)
    return found[1] if found else ""


def test_one_game_follows_the_other_and_each_is_over_before_it_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "RESULT_S", 0.0)
    with served(tmp_path, pace=0.02, agents=("random",)) as client:
        tables: list[str] = []
        for name in registry.names():
            known = tables[-1] if tables else ""
            page = seen(client, "/demo", lambda page, known=known: shown(page) not in ("", known))
            tables.append(shown(page))
            assert name.capitalize() in text_of(page)
            assert client.get(f"/review/table/{tables[-1]}/film").status_code == 200
            assert client.get(f"/demo/after/{tables[-1]}").status_code == 204
        assert client.get(f"/demo/after/{tables[0]}").status_code == 200


def test_without_a_demo_there_is_no_page_of_it(client):
    assert client.get("/demo").status_code == 404
    assert "/demo" not in client.get("/").text
