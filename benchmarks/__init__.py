"""How fast things are on this machine; nothing here is a test."""
