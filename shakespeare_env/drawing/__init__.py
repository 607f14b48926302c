"""Drawing for any game: shapes, boards, pixels, and text in columns."""
