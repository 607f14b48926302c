"""Folders of recorded games, datasets and arenas, watched while others write them."""
