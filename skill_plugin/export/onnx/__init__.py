"""What a corpus uses of a model, of any variant, as one ONNX graph.

The graph is written node by node from the model's modules, in standard operators, so that it depends on no exporter.
Axes beside those of ``skill_plugin.nn``: B sequences, T tokens of the longest, padding included.
"""
