"""Pages on which a team describes its run, and an organizer removes the description."""

from dataclasses import asdict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from bcms.lib.confirmation import UNDONE, ConfirmationQuestion, ask_unless_confirmed
from evaluation.challenges.form_pages import render_form_page_or_422
from evaluation.runs.descriptions.description import suggest_description
from evaluation.runs.descriptions.forms import RunDescriptionForm
from evaluation.runs.descriptions.removal import remove_description
from evaluation.runs.run_page.lookup import get_organized_run_or_403, get_own_team_run_or_403


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def describe_run(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_own_team_run_or_403(request.user, pk)
    if request.method != "POST":
        form = RunDescriptionForm(instance=run, initial=asdict(suggest_description(run)))
    elif (form := RunDescriptionForm(request.POST, instance=run)).is_valid():
        form.save()
        messages.success(request, f"The description of {run.name} is saved.")
        return redirect("run", run.pk)
    return render_form_page_or_422(
        request, form, f"Describe {run.name}", "evaluation/runs/describe.html", run=run, does="Save"
    )


@login_required
@require_POST
def remove_description_of_run(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_organized_run_or_403(request.user, pk)
    consequences = [
        "The leaderboard no longer shows it. The team can write another one.",
        "An archive of the challenge has it until you make the archive again.",
        UNDONE,
    ]
    question = ConfirmationQuestion(
        f"Remove the description of {run}?", consequences, "Remove the description", reverse("run", args=[pk])
    )
    if page := ask_unless_confirmed(request, question):
        return page
    remove_description(run)
    messages.success(request, f"The description of {run} is removed.")
    return redirect("run", pk)
