"""What can go wrong between the site and a provider."""


class ProviderError(Exception):
    """A provider cannot be reached, or its answer is not accepted. The message is for the log only."""
