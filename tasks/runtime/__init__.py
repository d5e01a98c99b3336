"""Where a step runs: the home, the boundary that lets no foreign text out, Prefect and its server."""
