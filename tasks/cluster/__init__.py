"""Steps and jobs on Dask: a cluster of its own or somebody's scheduler, the encrypted files that workers share, and who may take part."""
