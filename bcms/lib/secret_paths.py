"""Keep what opens something without a login out of the log: tokens and keys in the addresses of links sent by mail."""

import logging
import re

# The part of an address before the secret, and the secret.
SECRET_PATH = re.compile(
    r"(/(?:manuscripts/open|invitations|mail/stop|mail/challenges|mail/reports|account/confirm|account/reset)/)[^/\s]+"
)


class SecretPathFilter(logging.Filter):
    """Lets every record pass, without the secrets in its message."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if SECRET_PATH.search(message):
            record.msg, record.args = SECRET_PATH.sub(r"\1***", message), ()
        return True
