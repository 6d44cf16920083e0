"""CUDA graphs of an encoder's layers: a step costs what the device needs, whatever Python and kernel launches cost.

A graph repeats kernels on the same memory, so that nothing in it may depend on what a pack holds but through that
memory: packs are padded to a few sizes (``pack_sizes``), where sequences and segments lie is told by numbers on the
device (``pack_numbers``), and weights are copied into slots, whichever skills they are of (``slot_weights``).
"""
