"""Players that know one game and follow its rule book's advice; they see what any player sees."""
