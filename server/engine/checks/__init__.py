"""Run passes and validation on documents, and offer their fixes."""
