"""Every address of the site, filled so that it leads somewhere, and what is there."""

import re
import uuid

from django.urls import get_resolver

from annotations.articles.queries import format_pmid_or_opaque
from tests.integration.evaluation_cast import get_article

# What stands for each parameter of an address; that of an app's own names is told by where it stands.
SLUGS = {"challenges": "example", "servers": "reader", "corpora": "blind", "teams": "team-alpha", "articles": "201"}
ADDRESS_WORDS = {
    **{"phase": "test", "task": "TX", "name": "python", "form": "tsv", "file": "gold.tsv", "action": "retry"},
    **{"token": "x", "rest": "x"},
}


def addresses(resolver=None, prefix=""):
    """The form of every address of the site: /challenges/<slug:slug>/..."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from addresses(pattern, route)
        else:
            yield "/" + re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<str:\1>", route).strip("^$").replace("\\", "").rstrip("Z")


def fill_address(form, run):
    """An address that leads somewhere, wherever that can be said."""
    part = next((word for word in form.strip("/").split("/") if word in SLUGS), "")

    def value(match):
        kind, name = match[1] or "str", match[2]
        if kind == "int":
            return str(run.pk)
        if kind == "uuid":
            return str(uuid.UUID(int=1))
        if part == "articles" and SLUGS[part].isdigit() and name in ("slug", "identifier", "ident"):
            return format_pmid_or_opaque(get_article(int(SLUGS[part])))
        if name in ("slug", "identifier", "ident") and part:
            return SLUGS[part]
        return ADDRESS_WORDS.get(name, "x")

    return re.sub(r"<(?:(\w+):)?(\w+)>", value, form)


def iter_all_responses(client, run):
    """Form, status, and body with headers, of every address."""
    for form in sorted(set(addresses())):
        if form.startswith("/static"):
            continue
        reply = client.get(fill_address(form, run))
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        yield form, reply.status_code, body + str(reply.headers).encode()
