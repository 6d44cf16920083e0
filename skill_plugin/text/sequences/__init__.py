"""Rules that say which sequences the rows of a corpus become. They need only the sizes of texts."""
