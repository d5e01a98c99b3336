"""Who may do what, and when: one pure function decides."""
