"""20,000 invented hospital patients, one row each, and a public register of the region they live in."""
