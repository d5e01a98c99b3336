"""Privacy principles, each measured on the published form, one file each."""
