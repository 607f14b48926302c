"""What a game need not say itself, since it follows from the fields of its record."""
