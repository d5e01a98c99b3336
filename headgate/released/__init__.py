"""Published tables as their readers use them: typed cells, conditions, and estimates with what generalized cells allow."""
