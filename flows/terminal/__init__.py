"""What commands read and write: options and questions, figures, progress, the shapes of `--json`, and exit codes."""
