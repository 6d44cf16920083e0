"""The papers' analyses of trained models, a folder each.

``collect`` runs the model over a data folder, ``measure`` computes from what was collected, ``table`` and ``plot`` show
the result.
"""
