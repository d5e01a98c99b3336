"""Great Expectations over what comes in and what would go out."""
