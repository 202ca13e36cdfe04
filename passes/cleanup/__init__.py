"""Clean-up passes: what the other passes need to tidy up behind them."""
