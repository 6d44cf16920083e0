"""What a trained model scores when corpora activate something else than they were trained with."""
