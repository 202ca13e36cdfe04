"""The evaluator: runs NIR on batches of lanes held in numpy arrays."""
