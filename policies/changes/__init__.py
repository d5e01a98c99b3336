"""What changed between two policies, two candidates or two published versions."""
