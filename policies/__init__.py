"""What a release must satisfy and who must agree. Pure: no files, clock or network."""
