"""Learning a game: lessons, the guided first game, puzzles, levels of opponents."""
