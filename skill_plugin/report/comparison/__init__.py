"""Several models side by side, each run with several seeds: means, spreads, differences, what is published of them."""
