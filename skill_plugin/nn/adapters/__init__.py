"""Small trainable additions to an encoder whose own parameters stay as they are."""
