"""Files of other programs: which program wrote a file, and what is in it, within the limits on what is read."""
