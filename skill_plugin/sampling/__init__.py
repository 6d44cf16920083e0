"""From the sizes of corpora to the plan of an epoch: pure functions of numpy arrays."""
