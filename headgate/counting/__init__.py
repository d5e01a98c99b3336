"""How the values of a class are counted: classes, intervals, neighbours, transport, and what a measured figure holds."""
