"""Drawings of any game: shapes, boards, pixels and text in columns."""
