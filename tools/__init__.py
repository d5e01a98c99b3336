"""What makes files of this project: shipped data, compiled loops, pages generated from the code."""
