"""The organizers' page of a challenge, its list of opaque ids, and the actions to add and remove organizers."""

from django.contrib import messages
from django.db.models import Case, F, OuterRef, Subquery, TextField, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotations.articles.models import Article, ArticleSnapshot
from annotations.articles.queries import annotate_recorded_ids
from bcms.lib.table_text import format_tsv
from evaluation.challenges.form_pages import check_form_or_add_messages, organizer_post_action, organizer_required
from evaluation.challenges.lookup import get_challenge_phase_or_404
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.organizers import appointment
from evaluation.challenges.organizers.dashboard import build_organizer_dashboard
from evaluation.challenges.organizers.forms import OrganizerForm
from evaluation.challenges.participants.forms import TeamApprovalForm
from evaluation.challenges.permissions import can_create_challenge
from evaluation.challenges.phases.forms import PhaseActionForms


@never_cache
@organizer_required
@require_safe
def show_organizer_dashboard(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    context = {
        "may_create": can_create_challenge(request.user),
        "dashboard": build_organizer_dashboard(challenge, PhaseActionForms),
        "labellings": challenge.labellings.select_related("corpus").order_by("pk"),
        "team_form": TeamApprovalForm(challenge, label_suffix=""),
        "organizer_form": OrganizerForm(label_suffix=""),
    }
    return render(request, "evaluation/challenges/organize.html", context)


@never_cache
@organizer_required
@require_safe
def download_opaque_id_table(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    """Which article has which opaque id, as tab-separated values."""
    table = _format_opaque_id_table(get_challenge_phase_or_404(challenge, phase))
    response = HttpResponse(table, content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{challenge.slug}-{phase}-articles.tsv"'
    return response


def _format_opaque_id_table(phase: Phase) -> str:
    """One line per article in the order of the corpus: opaque id, PMID, DOI, PMCID, and its ID in the uploaded file if
    that is none of these.
    """
    of_challenge = ArticleSnapshot.objects.filter(
        public_article=OuterRef("pk"), article__blind=True, corpus__owner__challenge=phase.challenge_id
    )
    of_corpus_first = of_challenge.order_by(Case(When(corpus=phase.corpus_id, then=0), default=1), "pk")
    articles = annotate_recorded_ids(Article.objects.filter(corpora=phase.corpus_id)).annotate(
        opaque_in_test=Coalesce(Subquery(of_corpus_first.values("article__opaque")[:1]), F("opaque")),
        id_in_file=Coalesce(
            KeyTextTransform("source_id", Subquery(of_corpus_first.values("metadata")[:1])),
            KeyTextTransform("source_id", "snapshot__metadata"),
            Value(""),
            output_field=TextField(),
        ),
    )
    rows = articles.order_by("corpusarticle__position")
    names = rows.values_list("opaque_in_test", "recorded_pmid", "recorded_doi", "recorded_pmcid", "id_in_file")
    return format_tsv([("opaque_id", "pmid", "doi", "pmcid", "id_in_file"), *names])


@organizer_post_action
def appoint_organizer(request: HttpRequest, challenge: Challenge) -> None:
    form = OrganizerForm(request.POST)
    if check_form_or_add_messages(request, form):
        account = form.cleaned_data["organizer"]
        if appointment.add_and_mail_organizer_refusing_competitors(challenge, account, request.user):
            messages.success(request, f"{account.username} now organizes this challenge and gets a mail about it.")
        else:
            messages.info(request, f"{account.username} already organizes this challenge.")


@organizer_post_action
def release_organizer(request: HttpRequest, challenge: Challenge) -> None:
    name = request.POST.get("organizer", "")
    appointment.remove_organizer_unless_last(challenge, name, request.user)
    messages.success(request, f"{name} is no longer an organizer of {challenge}.")
