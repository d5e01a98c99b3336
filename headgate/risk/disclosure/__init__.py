"""Decision-theoretic disclosure risk: what finding somebody costs, expected over records and dictionaries."""
