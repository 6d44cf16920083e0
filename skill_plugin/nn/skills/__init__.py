"""Skills: named module groups of which each corpus activates some."""
