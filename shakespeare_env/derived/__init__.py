"""Parts of a game that follow from the fields of its record."""
