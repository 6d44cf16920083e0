"""Options of runs: how one is declared, what values it may have, and what is said of it."""
