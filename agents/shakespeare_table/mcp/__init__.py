"""Language models at the table: an MCP server through which one plays against agents.

`tables` holds the games and `table` puts one into words, both without MCP; `server` offers them as
tools (the extra `mcp`).
"""
