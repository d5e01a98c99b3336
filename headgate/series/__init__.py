"""What several published versions of one dataset reveal together about the people who are in more than one (DEFINITIONS §11)."""
