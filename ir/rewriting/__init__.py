"""Pattern language of rewrite rules: one parser and one matcher, for passes and for proofs."""
