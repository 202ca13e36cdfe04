"""Expressions of values: their cost, text, copies and cuts."""
