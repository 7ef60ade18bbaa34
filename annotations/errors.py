"""What goes wrong when articles are brought in, apart from faults of a file."""


class FetchError(Exception):
    """PubMed could not give what was asked for; the message is for the person who asked."""
