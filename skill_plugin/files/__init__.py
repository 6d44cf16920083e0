"""Files are written and read as a whole, folders are locked, and the operating system's faults become messages."""
