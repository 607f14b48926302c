"""Learning a game: lessons, the guided first game, levels of opponents."""
