"""Values of all lanes as arrays of bits, and what is undefined in them."""
