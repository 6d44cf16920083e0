"""The kind multilabel."""
