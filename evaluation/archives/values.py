"""Rows of the database as values of JSON, and back: which fields of each model an archive has."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import EMPTY_VALUES
from django.db.models import Model

from evaluation.archives.unpacking import ANEW, ArchiveError

Row = TypeVar("Row", bound=Model)

CHALLENGE = ("name", "slug", "description", "entrance", "terms", "approve_teams", "file_rules")
TASK = ("name", "title", "note", "kind", "primary", "further")
CORPUS = ("slug", "name", "description", "blind")
PHASE = (
    *("sort", "opens", "closes", "published", "names_shown", "online_runs", "offline_runs", "upload_caps", "minutes"),
    *("tries", "may_withdraw", "final_first", "closes_live", "frozen", "begun", "ended", "reminded", "revision"),
)
EVENT = ("at", "what", "words", "reason")
EXCLUDED = ("reason", "at")
ENTRANT = ("accepted", "accepted_terms", "approved")
GOLD = ("published", "checksum", "source", "imported")
ALTERNATIVES = ("checksum", "source")
RUN = ("name", "sort", "final")
UPLOAD = (
    *("name", "message", "source", "size", "sha256", "format", "note", "warnings", "unknown", "unknown_names"),
    *("received", "finished"),
)
SCORE = (
    *("scenario", "absent", "figures", "intervals", "curve", "articles", "answered", "confidence", "seconds_mean"),
    *("seconds_median", "seconds_slowest", "samples", "seed", "checksum", "version", "signature", "computed", "took"),
    "superseded",
)
CALIBRATION = (
    *("checksum", "way", "why_none", "knots", "number", "right", "brier", "log_loss", "brier_fitted"),
    *("log_loss_fitted", "tenths", "tenths_fitted", "cut_by", "cut_value", "cut_fap", "fitted"),
)
RANKING = ("scenario", "measure", "counts", "untested", "samples", "seed", "ensemble", "version", "computed")


def values_of(row: Model, fields: Sequence[str]) -> dict[str, Any]:
    """{field: its value as JSON has it}."""
    return {name: plain(getattr(row, name)) for name in fields}


def plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def row_of(model: type[Row], values: Mapping[str, Any], fields: Sequence[str], **others: Any) -> Row:
    """A row that is not saved yet, of these fields and others. ArchiveError when a value does not fit its field."""
    row = model(**others)
    for name in fields:
        try:
            setattr(row, name, fitting(model, name, values[name], row))
        except (ValidationError, KeyError, TypeError, ValueError):
            told = f"{name} of a {model._meta.verbose_name}"
            raise ArchiveError(f"The archive says nothing of use of the {told}: {ANEW}.") from None
    return row


def fitting(model: type[Model], name: str, value: Any, row: Model) -> Any:
    field: Any = model._meta.get_field(name)
    own = field.to_python(value)
    if own is None and not field.null:
        raise ValueError
    return own if own in EMPTY_VALUES else field.clean(own, row)
