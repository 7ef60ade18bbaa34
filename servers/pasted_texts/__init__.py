"""Texts that people paste to have them annotated at once: private to them, and deleted after a day."""
