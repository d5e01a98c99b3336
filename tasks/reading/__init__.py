"""Everything that is read: sources, policies with the files they name, registers, and what is made of them before grouping."""
