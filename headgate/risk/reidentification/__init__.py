"""How likely a record is linked to its person: prosecutor, journalist, marketer, uniqueness."""
