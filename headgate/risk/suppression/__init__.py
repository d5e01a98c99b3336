"""Which cells to suppress so that the risk is least: rule sets, MinRisk, exact programmes."""
