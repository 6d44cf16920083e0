"""Options of runs: what values they may have."""
