"""What a home needs to be begun again elsewhere: copied to a target while releases run, verified there, and restored from it."""
