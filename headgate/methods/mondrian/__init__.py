"""Multidimensional Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE 2006), with more than k as a condition for a cut."""
