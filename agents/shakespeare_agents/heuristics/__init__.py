"""Rules of thumb for one game, seeing what any player sees."""
