"""A typed client of the BioCreative Meta-Server's REST API: Client, AsyncClient, and the errors that they raise."""

from bcms_client.async_client import AsyncClient
from bcms_client.client import Client
from bcms_client.errors import (
    AuthenticationError,
    BcmsError,
    ConfigurationError,
    ConflictError,
    Fault,
    InvalidFileError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    ProblemError,
    RateLimitError,
    RedirectError,
    ServerFailureError,
    StillWorkingError,
    UnavailableError,
    UnexpectedAnswerError,
    UnreachableError,
)
from bcms_client.version import API_VERSION, __version__

__all__ = [
    "API_VERSION",
    "AsyncClient",
    "AuthenticationError",
    "BcmsError",
    "Client",
    "ConfigurationError",
    "ConflictError",
    "Fault",
    "InvalidFileError",
    "InvalidRequestError",
    "NotFoundError",
    "PermissionDeniedError",
    "ProblemError",
    "RateLimitError",
    "RedirectError",
    "ServerFailureError",
    "StillWorkingError",
    "UnavailableError",
    "UnexpectedAnswerError",
    "UnreachableError",
    "__version__",
]
