"""What several requests need to answer in terms of LSP."""
