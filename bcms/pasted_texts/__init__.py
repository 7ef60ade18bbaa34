"""The pages on which people paste a text and read its annotations."""
