"""The games of a server on disk."""
