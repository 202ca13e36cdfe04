"""Ways to find a verdict: each a function that returns one, or None to leave it to the next."""
