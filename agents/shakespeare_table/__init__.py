"""People and language models at the table: in the terminal, in the browser, and over MCP."""
