"""Order, retries, waiting, the schedules' entry points, and the command line."""
