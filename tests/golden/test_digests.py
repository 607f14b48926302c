"""A thousand games of every table show what they showed, and networks choose what they chose."""

from tests.golden.digests import few, kept


def test_games_show_and_networks_choose_what_they_did():
    before = kept()
    differing = [name for name, digest in few().items() if before.get(name) != digest]
    assert not differing
