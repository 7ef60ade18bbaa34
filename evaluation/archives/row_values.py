"""Convert rows of the database to JSON values and back; the fields that an archive has of each model."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import EMPTY_VALUES
from django.db.models import Model

from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.runs.descriptions.description import DESCRIPTION_FIELDS

ModelRow = TypeVar("ModelRow", bound=Model)

CHALLENGE_FIELDS = ("name", "slug", "description", "entrance", "terms", "approve_teams", "file_rules")
TASK_FIELDS = ("name", "title", "note", "kind", "primary", "further")
CORPUS_FIELDS = ("slug", "name", "description", "blind")
PHASE_FIELDS = (
    *("sort", "opens", "closes", "published", "names_shown", "online_runs", "offline_runs", "upload_caps", "minutes"),
    *("tries", "may_withdraw", "final_first", "closes_live", "frozen", "begun", "ended", "reminded", "revision"),
)
# Fields that an archive has only if they are not the default, {field: default}: earlier archives have none of them.
OPTIONAL_CHALLENGE_FIELDS: Mapping[str, object] = dict.fromkeys(
    ("organizer_names", "contact", "doi", "citation", "data_licence"), ""
)
OPTIONAL_PHASE_FIELDS: Mapping[str, object] = {"counted_runs": "all", "daily_runs": None}
OPTIONAL_TASK_FIELDS: Mapping[str, object] = {"settings": None}
OPTIONAL_RUN_FIELDS: dict[str, object] = {"baseline": False, "imported_team": ""}
# Of runs whose team the archive names.
DESCRIPTION_DEFAULTS: dict[str, object] = dict.fromkeys(DESCRIPTION_FIELDS, "")
PHASE_EVENT_FIELDS = ("at", "what", "words", "reason")
EXCLUDED_ARTICLE_FIELDS = ("reason", "at")
ENTRANT_FIELDS = ("accepted", "accepted_terms", "approved")
GOLD_FIELDS = ("published", "checksum", "source", "imported")
ALTERNATIVES_FIELDS = ("checksum", "source")
RUN_FIELDS = ("name", "sort", "final")
UPLOAD_FIELDS = (
    *("name", "message", "source", "size", "sha256", "format", "note", "warnings", "unknown", "unknown_names"),
    *("received", "finished"),
)
SCORE_FIELDS = (
    *("scenario", "absent", "figures", "intervals", "curve", "articles", "answered", "confidence", "seconds_mean"),
    *("seconds_median", "seconds_slowest", "samples", "seed", "checksum", "version", "signature", "computed", "took"),
    "superseded",
)
CALIBRATION_FIELDS = (
    *("checksum", "way", "why_none", "knots", "number", "right", "brier", "log_loss", "brier_fitted"),
    *("log_loss_fitted", "tenths", "tenths_fitted", "cut_by", "cut_value", "cut_fap", "fitted"),
)
RANKING_FIELDS = ("scenario", "measure", "counts", "untested", "samples", "seed", "ensemble", "version", "computed")


def build_json_field_values(row: Model, field_names: Sequence[str]) -> dict[str, Any]:
    """Return {field: its value in JSON}."""
    return {name: _convert_to_json_value(getattr(row, name)) for name in field_names}


def build_optional_field_values(row: Model, defaults: Mapping[str, object]) -> dict[str, Any]:
    """Return {field: its value in JSON} of the fields that do not have their default."""
    return build_json_field_values(row, [name for name, default in defaults.items() if getattr(row, name) != default])


def list_field_names_in_document(
    document: Mapping[str, Any], field_names: Sequence[str], optional: Mapping[str, object]
) -> list[str]:
    """The fields that every archive has, and those of the optional ones that this document has."""
    return [*field_names, *(name for name in optional if name in document)]


def _convert_to_json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def build_validated_row_from_json(
    model: type[ModelRow], json_values: Mapping[str, Any], field_names: Sequence[str], **others: Any
) -> ModelRow:
    """Build an unsaved row from JSON values and other fields.

    Raises ChallengeArchiveError if a value is missing or not valid for its field.
    """
    row = model(**others)
    for name in field_names:
        try:
            setattr(row, name, _clean_field_value(model, name, json_values[name], row))
        except (ValidationError, KeyError, TypeError, ValueError):
            raise ChallengeArchiveError(
                f"The archive has no valid {name} for a {model._meta.verbose_name}: {GET_ARCHIVE_AGAIN}."
            ) from None
    return row


def _clean_field_value(model: type[Model], name: str, value: Any, row: Model) -> Any:
    """Validate a value for a field. Raises ValueError or ValidationError."""
    field: Any = model._meta.get_field(name)
    cleaned = field.to_python(value)
    if cleaned is None and not field.null:
        raise ValueError
    return cleaned if cleaned in EMPTY_VALUES else field.clean(cleaned, row)
