"""What needs OpenSpiel says so; tests/ecosystem/ tests the games in it."""

import sys

import pytest


def test_without_openspiel_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "shakespeare_env.wrappers.openspiel", raising=False)
    with pytest.raises(ImportError, match="pip install open_spiel"):
        import shakespeare_env.wrappers.openspiel  # noqa: F401
