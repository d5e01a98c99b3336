"""What everything stands on: columns, cells, encoding, hierarchies, distances, the published form, tolerance, errors."""
