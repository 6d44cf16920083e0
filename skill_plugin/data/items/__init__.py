"""How the rows of a kind become sequences and targets, and how outputs become answers: a file a kind."""
