"""What journals send and read by REST."""

from typing import Any

from rest_framework import serializers

from annotations.articles.article_ids import LONGEST_PMID
from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.manuscripts.links import DEFAULT_DAYS, MOST_DAYS
from annotations.curation.manuscripts.models import LONGEST_REASON, Manuscript, ManuscriptLink
from annotations.curation.manuscripts.progress import describe_state
from annotations.curation.manuscripts.states import LinkRole, ManuscriptState
from annotations.curation.models import CURATION_STATE_CHOICES
from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import DOI, LONGEST_TYPE, MOST_PASSAGES
from bcms.article_uploads.article_import import MEBIBYTES
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer

LARGEST_PMID = 10**LONGEST_PMID - 1
LONGEST_GUIDELINES = 20_000


class SentPassage(RequestSerializer[Any]):
    type = serializers.CharField(
        max_length=LONGEST_TYPE, default="section", help_text="abstract, heading, table, figure or the section's name"
    )
    text = serializers.CharField(trim_whitespace=False, allow_blank=True)


class ManuscriptFields(RequestSerializer[Any]):
    reference = serializers.CharField(
        max_length=100, required=False, help_text="your own number of the manuscript; you can use each once"
    )
    author_mail = serializers.EmailField(
        required=False, help_text="where the invitation and reminders are sent; without it, send the link yourself"
    )
    guidelines = serializers.CharField(
        max_length=LONGEST_GUIDELINES, required=False, help_text="shown to author and reviewers"
    )
    public_on = serializers.DateField(
        required=False, help_text="the day (UTC) on which the manuscript is published at the latest"
    )
    link_days = serializers.IntegerField(
        min_value=1, max_value=MOST_DAYS, default=DEFAULT_DAYS, help_text="how long both links are valid"
    )


class NewManuscript(ManuscriptFields):
    title = serializers.CharField(max_length=2000)
    passages = serializers.ListField(child=SentPassage(), allow_empty=False, max_length=MOST_PASSAGES)


class NewManuscriptFile(ManuscriptFields):
    file = serializers.FileField(help_text=f"one article, optionally gzipped, at most {MEBIBYTES} MiB")
    format = ExplainedChoiceField(
        list(ArticleFormat), required=False, help_text="by default detected from the beginning of the file"
    )


class NewLink(RequestSerializer[Any]):
    role = ExplainedChoiceField([role.value for role in LinkRole])
    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=DEFAULT_DAYS)


class Refusal(RequestSerializer[Any]):
    reason = serializers.CharField(max_length=LONGEST_REASON)


class PublicIds(RequestSerializer[Any]):
    pmid = serializers.IntegerField(min_value=1, max_value=LARGEST_PMID, required=False)
    doi = serializers.RegexField(
        DOI, max_length=255, required=False, error_messages={"invalid": "Send a DOI such as 10.1000/example."}
    )


class NewManuscriptCurator(RequestSerializer[Any]):
    person = serializers.CharField(max_length=254, help_text="user name or confirmed e-mail address")


class LinkOfManuscript(serializers.ModelSerializer[ManuscriptLink]):
    """A link without its address, which is shown once, when it is made."""

    class Meta:
        model = ManuscriptLink
        fields = ["id", "role", "created", "expires", "revoked", "opened"]


class ManuscriptInList(serializers.ModelSerializer[Manuscript]):
    """state: invited, in work (the author has opened the workspace), finished, refused, withdrawn or published."""

    state = serializers.SerializerMethodField()
    journal = serializers.CharField(source="journal.username", help_text="the user name of the account that sent it")
    title = serializers.CharField(source="article.title")
    article = serializers.SerializerMethodField(help_text="its id on this site; null before it is published")

    class Meta:
        model = Manuscript
        fields = ["id", "journal", "reference", "title", "state", "public_on", "article", "created", "closed"]

    def get_state(self, manuscript: Manuscript) -> str:
        return describe_state(manuscript, manuscript.curation)

    def get_article(self, manuscript: Manuscript) -> str | None:
        is_public = manuscript.state == ManuscriptState.PUBLISHED
        return format_pmid_or_opaque(manuscript.article) if is_public else None


class AnswerOfServer(serializers.Serializer[Any]):
    server = serializers.CharField(source="slug")
    state = serializers.ChoiceField(choices=["answered", "awaited", "failed"])


class CuratorOfManuscript(serializers.Serializer[Any]):
    curation = serializers.IntegerField(source="pk", help_text="revokes the assignment with DELETE")
    curator = serializers.CharField(source="curator.user.username")
    state = serializers.ChoiceField(choices=CURATION_STATE_CHOICES)


class ManuscriptInFull(ManuscriptInList):
    """reason: why the author takes no part. started, finished: of the author's work. servers: that were called."""

    links = LinkOfManuscript(many=True, source="ordered_links")
    servers = AnswerOfServer(many=True, source="server_answers")
    curators = CuratorOfManuscript(many=True)
    keywords = serializers.ListField(
        child=serializers.CharField(), help_text="official symbols of what servers found, for the published article"
    )
    started = serializers.SerializerMethodField()
    finished = serializers.DateTimeField(source="curation.finished", allow_null=True)

    class Meta(ManuscriptInList.Meta):
        fields = [
            *ManuscriptInList.Meta.fields,
            *(
                "author_mail",
                "guidelines",
                "reason",
                "reminded",
                "started",
                "finished",
                "links",
                "servers",
                "curators",
                "keywords",
            ),
        ]

    def get_started(self, manuscript: Manuscript) -> str | None:
        is_waiting = describe_state(manuscript, manuscript.curation) == "invited"
        return None if is_waiting else manuscript.curation.started.isoformat()


class StoredManuscript(ManuscriptInFull):
    author_link = serializers.CharField(help_text="URL for the author; shown once")
    reviewer_link = serializers.CharField(help_text="URL for reviewers; shown once")

    class Meta(ManuscriptInFull.Meta):
        fields = [*ManuscriptInFull.Meta.fields, "author_link", "reviewer_link"]


class MadeLink(serializers.Serializer[Any]):
    url = serializers.CharField(help_text="shown once")
