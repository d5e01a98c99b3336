"""What an earlier version wrote, verified by this one."""
