"""Fuzzing: no input takes nirls down, and no sequence of edits leaves a wrong view of a text behind."""
