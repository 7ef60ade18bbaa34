"""The address of a site: where a token may be sent."""

from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from bcms_client.errors import ConfigurationError
from bcms_client.version import API_VERSION


def normalize_site_url(url: str) -> str:
    """The URL of a site without a slash at the end. ConfigurationError unless it is HTTPS, or HTTP on this machine."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ConfigurationError("The address of the site is not a URL.", "Use https://HOST.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigurationError("The address of the site is not a URL.", "Use https://HOST.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConfigurationError("The address of the site has a name, a password, ? or #.", "Use https://HOST.")
    if parts.scheme == "http" and not _is_loopback(host):
        raise ConfigurationError(f"http://{host} would send the token unencrypted.", f"Use https://{host}.")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def build_api_root(site_url: str) -> str:
    """The URL below which all resources of the API are."""
    return f"{site_url}/api/v{API_VERSION}/"


def build_path(*segments: object) -> str:
    """The path of a resource below the root, each segment escaped, with a slash at the end.

    ConfigurationError for a segment that is empty or would lead to another folder.
    """
    texts = [str(segment) for segment in segments]
    for text in texts:
        if text in ("", ".", ".."):
            raise ConfigurationError(f"“{text}” is not a name of anything on the site.")
    return "".join(f"{quote(text, safe='')}/" for text in texts)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
