"""A slice as a checkpoint that fairseq's own RoBERTa loads."""
