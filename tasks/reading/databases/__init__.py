"""How each kind of database is kept to reading, in bounded time and room, whatever a query says."""
