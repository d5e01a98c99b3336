"""Candidates and published series, every file of them accounted for; where series are published to is a file each: `store_…`."""
