"""Context of the manual's page about the API: token scopes, rate limits and export formats."""

from django.conf import settings

from annotations.formats.exports import EXPORTS
from bcms.accounts.scopes import Scope


def build_scopes_limits_and_exports_context() -> dict[str, object]:
    return {
        "scopes": Scope.choices,
        "limits": _read_rate_limits(),
        "exports": [(export, [part.value for part in export.lost()]) for export in EXPORTS.values()],
        "left_out_formats": [export.left_out_slug for export in EXPORTS.values() if export.left_out_slug],
    }


def _read_rate_limits() -> dict[str, int]:
    names = ("API_PER_MINUTE_ADDRESS", "API_PER_MINUTE_ACCOUNT", "API_FILES_PER_MINUTE", "API_FILES_AT_ONCE")
    return {name: getattr(settings, name) for name in names}
