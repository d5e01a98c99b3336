"""The basis of everything else: columns, cells, encoding, hierarchies, distances, the published form, tolerance, errors."""
