"""Completion at a position of a dump.

`context` classifies the word at the cursor from its line; `candidates` lists the possible words; `matching`
filters them by the typed letters; `complete` combines these steps.
"""
