"""The only input and output: sources, files, databases, servers, keys; and the steps of a release."""
