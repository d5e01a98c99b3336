"""The steps of a release, one file per step, in the order of the flow."""
