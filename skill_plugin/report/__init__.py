"""Results, descriptions and checks as data and as tables."""
