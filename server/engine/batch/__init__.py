"""`nirls check` on many files: in pieces, on all cores or a cluster, with results kept from earlier runs."""
