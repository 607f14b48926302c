"""The rules of a game, compiled, in the order of RULES.md."""
