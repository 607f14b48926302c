"""The pictures of the table."""
