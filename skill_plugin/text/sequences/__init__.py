"""Which sequences the rows of a corpus become: counted from sizes alone, and cut in the same way."""
