"""Rules of thumb per game, seeing what any agent sees."""
