"""Recognize forms that Django refuses to read, because they have too many fields or files."""

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent


def format_form_excess(error: BaseException) -> str:
    """The sentence for the sender of the form; empty for other errors."""
    match error:
        case TooManyFieldsSent():
            return f"The request has more than {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,} fields. Send fewer at once."
        case TooManyFilesSent():
            return f"The request has more than {settings.DATA_UPLOAD_MAX_NUMBER_FILES:,} files. Send fewer at once."
        case RequestDataTooBig():
            most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE / (1 << 20)
            return f"The fields of the request have more than {most:.1f} MiB. Send less at once."
        case _:
            return ""
