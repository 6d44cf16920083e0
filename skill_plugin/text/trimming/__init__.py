"""A tokenizer that loses pieces which some texts do not need, and still encodes any text."""
