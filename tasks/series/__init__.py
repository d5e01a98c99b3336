"""Who was in which group of each published version: kept in the home alone, encrypted, so that versions can be compared."""
