"""The language server: pygls and lsprotocol are used here only."""
