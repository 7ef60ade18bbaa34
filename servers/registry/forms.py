"""Forms that register a server and change its registration."""

import re
from typing import Any

from django import forms
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils.html import format_html
from django.utils.text import slugify

from annotations.entity_types import normalize_entity_type
from annotations.results.models import Producer
from annotations.schema import KIND_LABELS, KIND_TASK_NAMES, Kind
from bcms.lib.forms.folded_fields import FoldingForm
from bcms.lib.forms.text_fields import OneLineField, ShownTextField
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event, record_form_changes_if_any
from servers.calls.batches.batch_decisions import MOST_ARTICLES
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.queues.manuscript_calls import remove_manuscript_calls_of_server
from servers.calls.states import QueueMode
from servers.protocols.batches.support import explain_missing_batches
from servers.registry.models import Server
from servers.registry.server_url import resolve_and_explain_unacceptable_url
from servers.review.decisions import return_server_to_review_if_content_may_change
from servers.teams.models import Team

KINDS = [
    (
        kind.value,
        f"{KIND_LABELS[kind]} ({', '.join(KIND_TASK_NAMES[kind])})" if KIND_TASK_NAMES[kind] else KIND_LABELS[kind],
    )
    for kind in Kind
]
# URL segments below /servers/ that are pages, so that no server can have them as its slug.
RESERVED_SLUGS = {"register", "review", "trials"}

METHOD_NAME = re.compile(r"[A-Za-z0-9_.:/]+", re.ASCII)
HTTP_METHODS = ("GET", "POST")
DEFAULT_METHOD = "Annotator.getAnnotation"
# servers.css shows the part of the chosen protocol.
METHOD_LABEL = format_html(
    '<span class="of-xml-rpc">{}</span><span class="of-both"> or </span><span class="of-pubannotation">{}</span>',
    "Method name",
    "HTTP method (GET or POST)",
)


# What most servers leave as it is; pages fold these fields.
FOLDED_FIELDS = frozenset(
    {
        *("description", "stated_version", "send", "entity_types", "time_limit", "seconds_per_1000_characters"),
        *("connect_limit", "calls_per_minute", "largest_text", "articles_per_request", "custom_parameters"),
        *("confidential", "accepts_pasted_texts"),
    }
)
# Fields whose values the audit trail does not keep.
SECRET_FIELDS = ("custom_parameters",)


class ServerForm(FoldingForm, forms.ModelForm[Server]):
    """The registration data of a server, new or existing."""

    FOLDED = FOLDED_FIELDS

    url = forms.CharField(
        label="URL",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/annotate"}),
        help_text="The address of the server, starting with http:// or https://.",
        error_messages={"required": "Enter the URL of the server, for example https://example.org/annotate."},
    )
    method = forms.CharField(
        label=METHOD_LABEL,
        max_length=100,
        required=False,
        initial=DEFAULT_METHOD,
        help_text="XML-RPC: the method to call. PubAnnotation: GET or POST. Not used by other protocols.",
    )
    kinds = forms.MultipleChoiceField(
        label="Kinds of annotation",
        choices=KINDS,
        widget=forms.CheckboxSelectMultiple,
        help_text="The kinds that the server returns. Annotations of other kinds are not stored.",
        error_messages={"required": "Select at least one kind of annotation that the server returns."},
    )

    class Meta:
        model = Server
        fields = [
            *("name", "description", "stated_version", "url", "protocol", "method", "send", "kinds"),
            "entity_types",
            *("time_limit", "seconds_per_1000_characters", "connect_limit"),
            *("calls_per_minute", "largest_text", "articles_per_request", "custom_parameters", "confidential"),
            "accepts_pasted_texts",
        ]
        field_classes = {"name": OneLineField, "description": ShownTextField, "stated_version": OneLineField}
        labels = {
            "stated_version": "System version",
            "send": "Article format",
            "entity_types": "Entity types",
            "time_limit": "Time limit",
            "seconds_per_1000_characters": "More for long texts",
            "connect_limit": "Connect limit",
            "calls_per_minute": "Calls per minute",
            "largest_text": "Longest text",
            "articles_per_request": "Articles in one request",
            "custom_parameters": "Custom parameters",
            "confidential": "May receive unpublished manuscripts, under the confidentiality terms",
            "accepts_pasted_texts": "Annotates texts that people paste",
        }
        help_texts = {
            "name": "Shown publicly.",
            "description": "What the server does, in a sentence or two. Shown publicly.",
            "stated_version": (
                "For example 2.1. Stored with each annotation. A version that the server reports takes precedence."
            ),
            "send": "A server that only accepts PMIDs cannot take part in a blind test phase.",
            "entity_types": (
                "What the server annotates, separated by commas: Gene, Disease, Chemical, Species, Variant, CellLine "
                "or any other. JSON-REST: sent with every call. Leave empty for genes, or if the types do not matter."
            ),
            "time_limit": "Seconds per article, from 1 to 600.",
            "seconds_per_1000_characters": (
                "Seconds for each 1,000 characters of the text, added to the time limit; both together are at most 600 "
                "s. Leave empty for the same limit for all texts."
            ),
            "connect_limit": (
                "Seconds for the DNS lookup, the connection and the TLS handshake together, from 1 to 60. Leave empty "
                "for no limit but the time limit."
            ),
            "calls_per_minute": "The maximum. Leave empty for no limit.",
            "largest_text": (
                "In characters. Longer articles are not sent and count as empty answers. Leave empty for no limit."
            ),
            "articles_per_request": (
                f"From 1 to {MOST_ARTICLES}, not with XML-RPC. How many articles of live and training queues the "
                "server takes together, if so many wait; in a test each is sent alone. Leave empty for 1."
            ),
            "custom_parameters": "BeCalm: a JSON object that is sent with every call.",
            "confidential": (
                "Your team accepts that nobody else reads these texts, that they are used for nothing but the answer, "
                "and that nothing of them is kept after it. The manual has the terms in full."
            ),
            "accepts_pasted_texts": (
                "Account holders see the name of the server and of your team, and send it a text for an answer within "
                "60 s. Your team agrees that the text is used for nothing but the answer and not kept after it. Not "
                "for servers that get PMIDs or call back."
            ),
        }
        widgets = {
            "description": forms.Textarea(attrs={"rows": 3}),
            "custom_parameters": forms.Textarea(attrs={"rows": 2}),
        }
        error_messages = {
            "name": {"required": "Enter a name for the server."},
            "time_limit": {
                "required": "Enter the time limit in seconds. The maximum, 600, suits most servers.",
                "invalid": "The time limit must be a whole number of seconds, such as 600.",
                "min_value": "The time limit must be at least 1 second.",
                "max_value": "The time limit must be at most 600 seconds.",
            },
            "seconds_per_1000_characters": {
                "invalid": "The seconds for each 1,000 characters must be a number, such as 2.5.",
                "min_value": "The seconds for each 1,000 characters must be at least 0.001.",
                "max_value": "The seconds for each 1,000 characters must be at most 600.",
            },
            "articles_per_request": {
                "invalid": "The articles in one request must be a whole number, such as 8.",
                "min_value": "The articles in one request must be at least 1.",
                "max_value": f"The articles in one request must be at most {MOST_ARTICLES}.",
            },
            "connect_limit": {
                "invalid": "The connect limit must be a whole number of seconds, such as 5.",
                "min_value": "The connect limit must be at least 1 second.",
                "max_value": "The connect limit must be at most 60 seconds.",
            },
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        # What has changed is found by the stored value, as programs do not send hidden ones.
        self.fields["custom_parameters"].show_hidden_initial = False

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if message := resolve_and_explain_unacceptable_url(url, settings.ALLOWED_NETWORKS):
            raise forms.ValidationError(message)
        return url

    def clean_entity_types(self) -> list[str]:
        """Known types by their name, others as they are written, each once."""
        stripped = (entity_type.strip() for entity_type in self.cleaned_data["entity_types"])
        return list(dict.fromkeys(normalize_entity_type(entity_type) for entity_type in stripped if entity_type))

    def clean_custom_parameters(self) -> dict[str, Any]:
        parameters = self.cleaned_data["custom_parameters"]
        if parameters in (None, "", []):
            return {}
        if not isinstance(parameters, dict):
            raise forms.ValidationError('Custom parameters must be a JSON object, such as {"model": "large"}.')
        return parameters

    def clean_articles_per_request(self) -> int:
        number = self.cleaned_data["articles_per_request"]
        return 1 if number is None else number

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        try:
            cleaned["method"] = _clean_protocol_method(cleaned.get("protocol", ""), cleaned.get("method", ""))
        except forms.ValidationError as error:
            self.add_error("method", error)
        if cleaned.get("articles_per_request", 1) > 1:
            reason = explain_missing_batches(*(cleaned.get(name, "") for name in ("protocol", "url", "method", "send")))
            if reason:
                self.add_error("articles_per_request", reason)
        if cleaned.get("accepts_pasted_texts"):
            reason = explain_missing_pasted_texts(cleaned.get("protocol", ""), cleaned.get("send", ""))
            if reason:
                self.add_error("accepts_pasted_texts", reason)
        return cleaned

    @transaction.atomic
    def store(self) -> None:
        """Update the changed fields only, as the server's loop and other requests update the same row.

        The producers of all of the server's queues get its new name and types. A change of what the server may report
        returns it to review.
        """
        # As the form has set the new values on its instance, the old ones are its initial ones.
        record_form_changes_if_any(
            self, AuditAction.SERVER_CHANGED, self.instance.slug, secret_fields=SECRET_FIELDS, team=self.instance.team
        )
        changes = {name: value for name, value in self.cleaned_data.items() if value != self.initial[name]}
        stored = Server.objects.select_for_update().get(pk=self.instance.pk)
        return_server_to_review_if_content_may_change(
            stored,
            changes.get("url", stored.url),
            set(changes.get("kinds", stored.kinds)),
            set(changes.get("entity_types", stored.entity_types)),
        )
        if shared := {name: changes[name] for name in ("name", "entity_types") if name in changes}:
            Producer.objects.filter(queue__server=self.instance.pk).update(**shared)
        Server.objects.filter(pk=self.instance.pk).update(version=F("version") + 1, **changes)
        if changes.get("confidential") is False:
            remove_manuscript_calls_of_server(self.instance)


def explain_missing_pasted_texts(protocol: str, send: str) -> str:
    """Why a server that is registered in this way cannot annotate pasted texts; "" if it can."""
    if protocol == Server.Protocol.BECALM:
        return "A server that calls back cannot annotate pasted texts: clear the box, or select another protocol."
    if send == Server.Send.PMID:
        return "A pasted text has no PMID: clear the box, or select another article format."
    return ""


def _clean_protocol_method(protocol: str, method: str) -> str:
    """The method as the protocol needs it, with its default; ValidationError if the protocol does not allow it."""
    if protocol == Server.Protocol.PUBANNOTATION:
        if method.upper() not in HTTP_METHODS and method not in ("", DEFAULT_METHOD):
            raise forms.ValidationError("A PubAnnotation annotator is called with GET or POST: enter one of them.")
        return method.upper() if method.upper() in HTTP_METHODS else "POST"
    if protocol != Server.Protocol.BCMS:
        return method or DEFAULT_METHOD
    if not method:
        raise forms.ValidationError(f"Enter the name of the XML-RPC method. Most servers use {DEFAULT_METHOD}.")
    if not METHOD_NAME.fullmatch(method):
        raise forms.ValidationError(
            "The method name contains a character that XML-RPC does not allow. Use letters, digits and _ . : / as in "
            f"{DEFAULT_METHOD}."
        )
    return method


class RegistrationForm(ServerForm):
    """A new server of one of the user's teams; without a team in it if teams is None."""

    team = forms.ModelChoiceField(
        Team.objects.none(), empty_label=None, error_messages={"required": "Select the team that runs the server."}
    )
    pmid = forms.CharField(
        label="PMID of the test article",
        required=False,
        max_length=9,
        help_text="An article of this site. Leave empty for one in which other servers found genes.",
    )
    field_order = ["team"]

    def __init__(self, *args: Any, teams: QuerySet[Team] | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["team"]
        if teams is None:
            del self.fields["team"]
        elif isinstance(field, forms.ModelChoiceField):
            field.queryset = teams

    @transaction.atomic
    def register(self) -> Server:
        """Store the server with a unique slug made from its name, and create its LIVE queue."""
        server: Server = self.save(commit=False)
        server.team = self.cleaned_data["team"]
        base = slugify(server.name)[:90] or "server"
        number = 1
        while not _store_if_slug_free(server, base if number == 1 else f"{base}-{number}"):
            number += 1
        get_or_create_queue_and_producer(server, QueueMode.LIVE)
        after = {name: self.cleaned_data[name] for name in ("name", "protocol", "kinds")}
        record_audit_event(AuditAction.SERVER_REGISTERED, server.slug, after=after, team=server.team)
        return server


def _store_if_slug_free(server: Server, slug: str) -> bool:
    """Save the server with this slug; False if the slug belongs to another server or to a page."""
    if slug in RESERVED_SLUGS:
        return False
    server.slug = slug
    try:
        with transaction.atomic():
            server.save()
    except IntegrityError:
        if not Server.objects.filter(slug=slug).exists():
            raise
        return False
    return True
