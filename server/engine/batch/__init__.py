"""Batch checking for `nirls check`: independent units on all cores or a cluster, with a result cache."""
