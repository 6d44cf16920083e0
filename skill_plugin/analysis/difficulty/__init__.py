"""How difficult corpora are by their texts and labels alone, before anything is trained (EDM)."""
