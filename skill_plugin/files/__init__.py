"""How files are written and read whole, folders locked, and faults of the operating system told."""
