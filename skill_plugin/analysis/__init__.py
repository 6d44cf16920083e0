"""The papers' analyses of trained models, as numbers, JSON and plots; what they are made of is collected elsewhere."""
