"""Assign varyings to slots and components."""
