"""Buffer accesses with a block index that is not constant."""
