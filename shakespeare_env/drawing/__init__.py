"""What the drawings of all games are made of; it knows none of them."""
