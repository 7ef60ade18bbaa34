"""Make requests and answers fit to show: mask secrets, and decode any bytes to readable text."""

import re

MASK = "[masked]"
SECRET_NAMES = r"(?:api[-_]?key|becalm[-_]?key|access[-_]?token|auth[-_]?token|token|secret|password|passwd)"
# Each pattern keeps the text before the secret (group 1) and replaces the secret.
SECRETS = [
    re.compile(r"(^(?:proxy-)?authorization[ \t]*:[ \t]*)[^\r\n]+", re.I | re.M),
    re.compile(r"(^(?:set-)?cookie[ \t]*:[ \t]*)[^\r\n]+", re.I | re.M),
    re.compile(rf"(^x-{SECRET_NAMES}[ \t]*:[ \t]*)[^\r\n]+", re.I | re.M),
    re.compile(r"(://)[^/\s@]+(?=@)"),
    re.compile(rf"([?&;](?:key|{SECRET_NAMES})=)[^&;#\s\"'<>]+", re.I),
    re.compile(rf"(^{SECRET_NAMES}=)[^&;#\s\"'<>]+", re.I | re.M),
    re.compile(rf"(\"{SECRET_NAMES}\"\s*:\s*)(?:\"(?:[^\"\\]|\\.)*\"?|[^\s,}}\]]+)", re.I),
    re.compile(rf"(<name>\s*{SECRET_NAMES}\s*</name>\s*<value>\s*(?:<\w+>)?)[^<]+", re.I),
]
# Control characters that no page can show, apart from tab, line feed and carriage return.
CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127], "\N{REPLACEMENT CHARACTER}")


def mask_secrets(text: str) -> str:
    """The text with every value that looks like a secret (Authorization and cookie headers, API keys and tokens in
    URLs, forms, JSON and XML-RPC structs, log-ins in URLs) replaced by "[masked]"."""
    for pattern in SECRETS:
        text = pattern.sub(rf"\g<1>{MASK}", text)
    return text


def decode_printable_and_mask_secrets(raw_bytes: bytes) -> str:
    """Bytes decoded as UTF-8, with invalid bytes and control characters replaced and secrets masked."""
    return mask_secrets(raw_bytes.decode("utf-8", errors="replace").translate(CONTROLS))
