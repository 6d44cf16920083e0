"""``skill-plugin check``: what all raw files of a corpora file hold, and every fault in them."""
