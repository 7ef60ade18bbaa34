"""System checks of the settings of a deployment. `manage.py check --deploy` runs all of them."""

import shutil
import tempfile
from collections.abc import Sequence
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import rsa
from django.apps import AppConfig
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import ManifestFilesMixin
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.http.request import validate_host
from whitenoise.storage import CompressedManifestStaticFilesStorage

from bcms.lib.sealing import encode_public_key

FOOT_LINKS = ("SOURCE_URL", "PRIVACY_URL", "TERMS_URL")
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
# Bodies of requests that are received, and files that are made: bcms/web_server/connections.py has the limits.
TEMPORARY_BYTES = 500_000_000
MANIFEST = ManifestFilesMixin.manifest_name
KEY_PAIRS = ("GOLD", "CREDENTIALS")


def is_site_public() -> bool:
    """Whether SITE_URL names another host than this machine."""
    return (urlsplit(settings.SITE_URL).hostname or "") not in LOCAL_HOSTS


@register(Tags.urls)
def check_public_url(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a SITE_URL to which no link can lead."""
    url = urlsplit(settings.SITE_URL)
    if url.scheme not in ("http", "https") or not url.hostname or url.path or url.query:
        message = f"SITE_URL is {settings.SITE_URL}, which is not the address of a site."
        return [Error(message, hint="Write it like https://bcms.example.org, without a path.", id="bcms.E005")]
    if not validate_host(url.hostname, settings.ALLOWED_HOSTS) and not settings.DEBUG:
        message = f"SITE_URL has the host {url.hostname}, which ALLOWED_HOSTS does not list: the site answers 400."
        return [Error(message, hint=f"Add {url.hostname} to ALLOWED_HOSTS.", id="bcms.E006")]
    return []


@register(Tags.urls)
def check_links_of_foot(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse settings that make a link at the foot of each page lead nowhere, or run as a script."""
    errors: list[CheckMessage] = []
    for name in FOOT_LINKS:
        url = getattr(settings, name)
        if url and not is_web_address(url):
            message = f"{name} is {url}, which is not the address of a page."
            errors.append(Error(message, hint="Write it like https://example.org/page.", id="bcms.E012"))
    return errors


def is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


@register(Tags.security, deploy=True)
def check_encryption_of_site(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of a public site without HTTPS, of which Django's own checks are silent when HTTPS_ONLY is off."""
    if not is_site_public():
        return []
    if not settings.SECURE_SSL_REDIRECT:
        message = "The site is public, and passwords and sessions travel unencrypted."
        return [Warning(message, hint="Put a proxy that speaks HTTPS before it, and set HTTPS_ONLY=1.", id="bcms.W008")]
    if urlsplit(settings.SITE_URL).scheme != "https":
        message = "HTTPS_ONLY is on, but SITE_URL begins with http: links in mail lead there first."
        return [Warning(message, hint="Begin SITE_URL with https.", id="bcms.W009")]
    return []


@register(Tags.security)
def check_key_pairs(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a private key that does not belong to the public key beside it."""
    errors: list[CheckMessage] = []
    for name in KEY_PAIRS:
        private: rsa.RSAPrivateKey | None = getattr(settings, f"{name}_PRIVATE_KEY")
        public: rsa.RSAPublicKey | None = getattr(settings, f"{name}_PUBLIC_KEY")
        if private and (not public or encode_public_key(private.public_key()) != encode_public_key(public)):
            message = f"{name}_PRIVATE_KEY does not belong to {name}_PUBLIC_KEY: nothing that is sealed can be opened."
            hint = f"Give both lines that `manage.py make_{name.lower()}_key` wrote."
            errors.append(Error(message, hint=hint, id="bcms.E007"))
    return errors


@register(deploy=True)
def check_mail(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of mail that a public site cannot send, or sends with its password unencrypted."""
    warnings: list[CheckMessage] = []
    if is_site_public() and parseaddr(settings.DEFAULT_FROM_EMAIL)[1].endswith("@localhost"):
        message = f"Mail comes from {settings.DEFAULT_FROM_EMAIL}, which other mail servers refuse."
        hint = "Set DEFAULT_FROM_EMAIL to an address of your domain; without mail nobody can confirm an account."
        warnings.append(Warning(message, hint=hint, id="bcms.W010"))
    options = settings.MAIL_DELIVERY.options
    is_encrypted = options.get("use_tls") or options.get("use_ssl")
    if options.get("password") and not is_encrypted and options["host"] not in LOCAL_HOSTS:
        message = f"The password of the mail server {options['host']} is sent unencrypted."
        warnings.append(Warning(message, hint="Begin EMAIL_URL with smtp+tls or smtps.", id="bcms.W011"))
    return warnings


@register(Tags.files, deploy=True)
def check_storage(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse a folder of static files that lacks some, and warn of a full folder for temporary files."""
    errors: list[CheckMessage] = []
    if settings.STATIC_ROOT and (fault := find_fault_of_static_files(Path(settings.STATIC_ROOT))):
        errors.append(Error(fault, hint="Run `manage.py collectstatic`, or unset STATIC_ROOT.", id="bcms.E008"))
    return [*errors, *_find_full_temporary_folder()]


def find_fault_of_static_files(folder: Path) -> str:
    """Why pages cannot be shown with the files that `collectstatic` has put into the folder; empty if they can."""
    if not folder.is_dir():
        return f"The folder {folder} that STATIC_ROOT names does not exist: pages cannot be shown."
    collected = CompressedManifestStaticFilesStorage(location=str(folder)).hashed_files
    if not collected:
        return f"{folder / MANIFEST}, the list of static files that `collectstatic` writes, is missing or empty."
    known = {name for finder in get_finders() for name, _ in finder.list([])}
    missing = sorted(known - collected.keys())
    if missing:
        return f"The static files in {folder} are of another version: {missing[0]} is missing."
    return ""


def _find_full_temporary_folder() -> list[CheckMessage]:
    try:
        folder = tempfile.gettempdir()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        message = f"There is no folder for temporary files that can be written: {error.strerror}."
        return [Error(message, hint="Name one in TMPDIR.", id="bcms.E009")]
    if free >= TEMPORARY_BYTES:
        return []
    message = f"{folder} has {free // 1_000_000} MB for uploads and exports, which need {TEMPORARY_BYTES // 1_000_000}."
    return [Warning(message, hint="Free some space, or name another folder in TMPDIR.", id="bcms.W012")]
