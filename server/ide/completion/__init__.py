"""What may be typed at a place of a dump.

`context` says what kind of word the cursor is in, from its line alone; `candidates` lists what that word
could be; `matching` keeps what fits the letters typed so far. `complete` puts them together.
"""
