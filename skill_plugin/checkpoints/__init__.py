"""Files that hold weights: what a trained checkpoint carries, and pretrained encoders of several origins."""
