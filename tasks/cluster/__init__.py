"""Jobs on Dask: a cluster of one's own or somebody's scheduler, the encrypted files that its workers share, and who may take part."""
