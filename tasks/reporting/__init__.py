"""What is shown and logged of a release: pages, charts, the data dictionary, MLflow."""
