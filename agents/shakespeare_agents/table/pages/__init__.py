"""The table's pages, a module each."""
