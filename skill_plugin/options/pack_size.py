"""How many sequences analyses read in a forward pass where ``--batch-size`` does not say it: one number for all."""

PACK_SIZE = 64
