"""What two linked stages exchange, and the rules and options for it."""
