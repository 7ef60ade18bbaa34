"""What is wrong with a nanopublication."""


class NanopublicationError(Exception):
    """A nanopublication cannot be made, or is not valid; the message says why, in a sentence."""
