"""Keys, who may sign, and signatures."""
