"""What processes that train one model tell each other: gradients, and sums of what they log."""
