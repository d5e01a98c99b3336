"""Which attacks could succeed on a finished set of tables (paper "codip", section 6; Wong, Fu, Wang, Pei, VLDB 2007)."""
