"""The version of the package. Its first number is the version of the API that it speaks."""

__version__ = "1.0.0"
API_VERSION = "1"
