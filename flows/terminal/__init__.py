"""How commands speak with people: options and questions, output and progress, and exit codes."""
