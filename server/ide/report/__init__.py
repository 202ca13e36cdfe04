"""A report on a log as one HTML file: the passes of each shader with their diffs, findings, varyings."""
