"""The compiler of rules to machine code, and the cache of compiled code on disk."""
