"""The printed facts: read, checked, and as arrays."""
