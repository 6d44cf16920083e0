"""How long a sequence may be where neither the corpus nor ``--max-length`` says it: one number for all commands."""

MAX_LENGTH = 128  # tokens, special ones included
