"""What people log in at a provider for."""

from enum import StrEnum


class ProviderProcess(StrEnum):
    LOG_IN = "log in"
    CONNECT = "connect"
    CONFIRM = "confirm"
