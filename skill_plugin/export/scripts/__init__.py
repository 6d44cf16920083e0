"""Files that go along with exports, beside ``kinds/<kind>/decode.py``; nothing here imports them."""
