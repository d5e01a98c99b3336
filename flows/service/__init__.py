"""Commands over the socket of `headgate serve`: which are served, how they are asked, and how they are answered."""
