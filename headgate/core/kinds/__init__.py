"""What a column's values are: one file for each kind or family of kinds. `kind.py` lists them."""
