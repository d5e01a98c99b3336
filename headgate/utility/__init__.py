"""How useful a release still is (DEFINITIONS §8)."""
