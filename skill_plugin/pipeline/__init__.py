"""From a corpora file to a trained model: the commands that lead there, with settings that suit data and machine."""
