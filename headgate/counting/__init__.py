"""Counts of the values in a class: frequencies, intervals, neighbours, transport; and the figures that measures return."""
