"""Register a server, change it, load articles into its queue."""

import re
from typing import Any

from django import forms
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils.text import slugify

from annotations.kinds import LABELS, TASK_NAMES, Kind
from annotations.models import Article, Corpus, CorpusArticle, Producer
from annotations.pmids import listed, read_pmids
from annotations.querysets import unknown_pmids
from servers.models import Server, Team
from servers.queueing import queue_of
from servers.server_url import fault_of
from servers.states import QueueMode

KINDS = [(kind.value, f"{LABELS[kind]} ({', '.join(TASK_NAMES[kind])})") for kind in Kind]
# Words that are pages of their own below /servers/.
RESERVED_SLUGS = {"register", "trials"}

METHOD_NAME = re.compile(r"[A-Za-z0-9_.:/]+", re.ASCII)
HTTP_METHODS = ("GET", "POST")
DEFAULT_METHOD = "Annotator.getAnnotation"


class ServerForm(forms.ModelForm):
    """The registration of a server, new or to be changed."""

    url = forms.CharField(
        label="URL",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/annotate"}),
        help_text="Where the server answers, with http:// or https://.",
        error_messages={"required": "Give the URL at which the server answers, such as https://example.org/annotate."},
    )
    method = forms.CharField(
        label="Method name",
        max_length=100,
        required=False,
        initial="Annotator.getAnnotation",
        help_text="XML-RPC: the method that is called. PubAnnotation: GET or POST. Other protocols have none.",
    )
    kinds = forms.MultipleChoiceField(
        label="Kinds of annotation",
        choices=KINDS,
        widget=forms.CheckboxSelectMultiple,
        help_text="What the server returns; other kinds in its answers are not kept.",
        error_messages={"required": "Choose at least one kind of annotation that the server returns."},
    )

    class Meta:
        model = Server
        fields = [
            *("name", "description", "stated_version", "url", "protocol", "method", "send", "kinds"),
            *("time_limit", "calls_per_minute", "largest_text", "custom_parameters"),
        ]
        labels = {
            "stated_version": "Version of the system",
            "send": "What is sent",
            "time_limit": "Time limit",
            "calls_per_minute": "Calls a minute",
            "largest_text": "Longest text",
            "custom_parameters": "Custom parameters",
        }
        help_texts = {
            "name": "As everybody sees it.",
            "description": "What it does, in a sentence or two; everybody sees it.",
            "stated_version": "Such as 2.1, kept with each annotation; what the server says itself counts more.",
            "send": "A server that wants PMIDs cannot take part in a blind test phase.",
            "time_limit": "Seconds per article, from 1 to 600.",
            "calls_per_minute": "At most so many; empty for no limit.",
            "largest_text": "Characters; longer articles are not sent and count as empty. Empty for no limit.",
            "custom_parameters": "BeCalm: what is sent along with every call, a JSON object.",
        }
        widgets = {
            "description": forms.Textarea(attrs={"rows": 3}),
            "custom_parameters": forms.Textarea(attrs={"rows": 2}),
        }
        error_messages = {
            "name": {"required": "Give the server a name."},
            "time_limit": {
                "required": "Give the time limit in seconds; 600, the most, suits most servers.",
                "invalid": "The time limit is a whole number of seconds, such as 600.",
                "min_value": "The time limit is at least 1 second.",
                "max_value": "The time limit is at most 600 seconds.",
            },
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if fault := fault_of(url, settings.ALLOWED_NETWORKS):
            raise forms.ValidationError(fault)
        return url

    def clean_custom_parameters(self) -> dict[str, Any]:
        said = self.cleaned_data["custom_parameters"]
        if said in (None, "", []):
            return {}
        if not isinstance(said, dict):
            raise forms.ValidationError('Custom parameters are a JSON object, such as {"model": "large"}.')
        return said

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        try:
            cleaned["method"] = method_of(cleaned.get("protocol", ""), cleaned.get("method", ""))
        except forms.ValidationError as error:
            self.add_error("method", error)
        return cleaned

    @transaction.atomic
    def store(self) -> None:
        """Write what the form holds and nothing else: the loop writes to the same row meanwhile.

        What the server said in any of its queues is said under its new name.
        """
        Producer.objects.filter(queue__server=self.instance.pk).update(name=self.cleaned_data["name"])
        Server.objects.filter(pk=self.instance.pk).update(version=F("version") + 1, **self.cleaned_data)


def method_of(protocol: str, method: str) -> str:
    """The method as the protocol wants it; ValidationError when it is none there."""
    if protocol == Server.Protocol.PUBANNOTATION:
        if method.upper() not in HTTP_METHODS and method not in ("", DEFAULT_METHOD):
            raise forms.ValidationError("A PubAnnotation annotator is asked by GET or POST: write one of the two.")
        return method.upper() if method.upper() in HTTP_METHODS else "POST"
    if protocol != Server.Protocol.BCMS:
        return method or DEFAULT_METHOD
    if not method:
        raise forms.ValidationError(f"Give the name of the XML-RPC method; most servers use {DEFAULT_METHOD}.")
    if not METHOD_NAME.fullmatch(method):
        raise forms.ValidationError(
            "The method name has a character that XML-RPC does not allow: use letters, digits and _ . : / as in "
            f"{DEFAULT_METHOD}."
        )
    return method


class RegistrationForm(ServerForm):
    """A new server of one of the user's teams."""

    team = forms.ModelChoiceField(
        Team.objects.none(), empty_label=None, error_messages={"required": "Choose the team that runs the server."}
    )
    field_order = ["team"]

    def __init__(self, *args: Any, teams: QuerySet[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["team"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = teams

    def register(self) -> Server:
        """Store the server under a slug of its own, made from its name, with the LIVE queue by which readers ask it."""
        server: Server = self.save(commit=False)
        server.team = self.cleaned_data["team"]
        base = slugify(server.name)[:90] or "server"
        number = 1
        while not store_under(server, base if number == 1 else f"{base}-{number}"):
            number += 1
        queue_of(server, QueueMode.LIVE)
        return server


def store_under(server: Server, slug: str) -> bool:
    """False when the slug is taken, by another server or by a page."""
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


class LoadForm(forms.Form):
    """The articles to be asked about: a corpus, or PMIDs typed in."""

    corpus = forms.ModelChoiceField(
        Corpus.objects.filter(blind=False).order_by("name", "pk"),
        required=False,
        empty_label="no corpus, the PMIDs below",
    )
    pmids = forms.CharField(
        label="PMIDs",
        required=False,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "16054130 15733859"}),
        help_text="Separated by spaces, commas or lines.",
    )

    def __init__(self, *args: Any, articles: QuerySet[Article], **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.articles = articles

    def clean_pmids(self) -> list[int]:
        try:
            pmids = read_pmids(self.cleaned_data["pmids"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        if unknown := unknown_pmids(pmids, self.articles):
            raise forms.ValidationError(
                f"Not in this database: PMID {listed(unknown)}. Take them out, or have them imported first."
            )
        return pmids

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and bool(cleaned["corpus"]) == bool(cleaned["pmids"]):
            raise forms.ValidationError("Choose a corpus or type PMIDs, one of the two.")
        return cleaned

    def article_ids(self) -> list[int]:
        """The articles in the order of the corpus, or as typed."""
        if corpus := self.cleaned_data["corpus"]:
            rows = CorpusArticle.objects.filter(corpus=corpus, article__in=self.articles.values("pk"))
            return list(rows.order_by("position").values_list("article_id", flat=True))
        by_pmid = dict(self.articles.filter(pmid__in=self.cleaned_data["pmids"]).values_list("pmid", "pk"))
        return [by_pmid[pmid] for pmid in self.cleaned_data["pmids"]]
