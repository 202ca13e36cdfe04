"""Completion at a position of a dump.

`context` classifies the word at the cursor from its line; `candidates` lists the possible words; `complete`
filters them by the typed letters.
"""
