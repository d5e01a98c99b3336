"""What `headgate doctor` looks at: one function for each thing that must be in order. None of them changes anything."""
