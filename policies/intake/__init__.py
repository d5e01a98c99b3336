"""How the cells of a source are written, and what becomes of them: each distinct text is read once, and refused if it does not fit."""
