"""The organizers' own pages: the challenge with all its switches, its rules, the dry run, who is called what."""

import csv
from io import StringIO

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotations.models import CorpusArticle
from evaluation.dry_run import dry_run
from evaluation.models import Challenge, Phase
from evaluation.organizers.dashboard import dashboard
from evaluation.organizers.forms import OrganizerForm, PhaseRulesForm, RulesForm, TeamForm
from evaluation.organizers.steering import phase_of
from evaluation.organizing import form_page, organizers_only
from servers.models import Queue


@never_cache
@organizers_only
@require_safe
def organize(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    context = {
        "dashboard": dashboard(challenge),
        "labellings": challenge.labellings.select_related("corpus").order_by("pk"),
        "team_form": TeamForm(challenge, label_suffix=""),
        "organizer_form": OrganizerForm(label_suffix=""),
    }
    return render(request, "evaluation/organize.html", context)


@organizers_only
@require_http_methods(["GET", "POST"])
def rules(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = RulesForm(request.POST or None, instance=challenge)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "The rules are stored.")
        return redirect("challenge-organize", challenge.slug)
    return form_page(request, form, "Rules of the challenge", does="Store the rules", challenge=challenge)


@organizers_only
@require_http_methods(["GET", "POST"])
def phase_rules(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    found = phase_of(challenge, phase)
    form = PhaseRulesForm(request.POST or None, instance=found)
    if request.method == "POST" and form.is_valid():
        form.save()
        tell_queues(found)
        messages.success(request, f"The rules of the {phase} phase are stored.")
        return redirect("challenge-organize", challenge.slug)
    return form_page(request, form, f"Rules of the {phase} phase", does="Store the rules", challenge=challenge)


def tell_queues(phase: Phase) -> None:
    """Servers that are in the phase already go by the new rules from their next slice on."""
    queues = Queue.objects.filter(producer__runs__phase=phase)
    Queue.objects.filter(pk__in=queues.values("pk")).update(minutes=phase.minutes, tries=phase.tries)


@never_cache
@organizers_only
@require_safe
def dry_run_page(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    return render(request, "evaluation/dry_run.html", {"dry_run": dry_run(challenge)})


@never_cache
@organizers_only
@require_safe
def mapping(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    """Which article each opaque id is: for the organizers alone."""
    found = phase_of(challenge, phase)
    response = HttpResponse(mapping_of(found), content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{challenge.slug}-{phase}-articles.tsv"'
    return response


def mapping_of(phase: Phase) -> str:
    lines = StringIO()
    writer = csv.writer(lines, delimiter="\t", lineterminator="\n")
    writer.writerow(["opaque_id", "pmid", "doi", "pmcid"])
    rows = CorpusArticle.objects.filter(corpus=phase.corpus_id).order_by("position")
    writer.writerows(rows.values_list("article__opaque", "article__pmid", "article__doi", "article__pmcid"))
    return lines.getvalue()
