"""Decision-theoretic disclosure risk: the expected cost of finding somebody, over records and dictionaries."""
