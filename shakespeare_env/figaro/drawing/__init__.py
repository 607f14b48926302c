"""A position drawn for people, from its notation: as text and as a picture."""
