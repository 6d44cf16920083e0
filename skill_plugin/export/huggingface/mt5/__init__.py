"""A model that answers with texts, as a folder for transformers' ``MT5ForConditionalGeneration``."""
