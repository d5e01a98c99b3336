"""headgate: the science. Pure functions and frozen results over numpy and pandas."""
