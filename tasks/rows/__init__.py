"""Several rows per person made one: which row's cell stands for the person, by codes alone."""
