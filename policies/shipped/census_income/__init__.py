"""Census-Income (KDD), test part: 99,762 people as the US Census Bureau's surveys of 1994 and 1995 recorded them (CC BY 4.0)."""
