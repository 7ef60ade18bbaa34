"""The pages on which organizers set up a challenge: its rules, tasks, corpora and phases."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from bcms.lib.confirmation import UNDONE, ConfirmationQuestion
from evaluation.challenges.form_pages import (
    apply_or_add_error,
    organizer_confirmed_action,
    organizer_required,
    render_form_page_or_422,
)
from evaluation.challenges.lookup import get_challenge_phase_or_404
from evaluation.challenges.models import Challenge
from evaluation.challenges.permissions import can_create_challenge
from evaluation.challenges.phases.forms import PhaseRulesForm
from evaluation.challenges.phases.lifecycle import copy_time_limit_and_attempts_to_queues
from evaluation.challenges.pictures.forms import PictureUploadForm
from evaluation.challenges.pictures.queries import list_pictures_for_organizers
from evaluation.challenges.setup import corrections, creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.challenges.setup.corrections import update_task_refusing_breaking_changes
from evaluation.challenges.setup.forms import (
    ChallengeRulesForm,
    CorpusForm,
    NewChallengeForm,
    PhaseForm,
    get_task_fields,
)
from evaluation.challenges.setup.task_page.forms import TaskPageForm
from evaluation.gold.models import GoldStandard

RULES_TEMPLATE = "evaluation/challenges/pictures/description_form.html"
PHASE_RULES_TEMPLATE = "evaluation/challenges/phase_rules.html"
TASK_TEMPLATE = "evaluation/challenges/task_form.html"


@login_required
@require_http_methods(["GET", "POST"])
def add_challenge(request: HttpRequest) -> HttpResponse:
    if not can_create_challenge(request.user):
        raise PermissionDenied
    form = NewChallengeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        if apply_or_add_error(form, lambda: creation.create_challenge(**data, organizer=request.user)):
            return redirect("challenge-organize", data["slug"])
    return render_form_page_or_422(request, form, "New challenge", does="Create challenge")


@organizer_required
@require_http_methods(["GET", "POST"])
def add_task(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = TaskPageForm(challenge, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = get_task_fields(form)
        if apply_or_add_error(form, lambda: creation.create_task(challenge, **data)):
            messages.success(request, f"Task {data['name']} added.")
            return redirect("challenge-organize", challenge.slug)
    return render_form_page_or_422(request, form, "Add a task", TASK_TEMPLATE, challenge=challenge)


@organizer_required
@require_http_methods(["GET", "POST"])
def edit_task(request: HttpRequest, challenge: Challenge, task: str) -> HttpResponse:
    of_task = get_object_or_404(challenge.tasks, name=task)
    form = TaskPageForm(challenge, request.POST or None, instance=of_task)
    if request.method == "POST" and form.is_valid():
        data = get_task_fields(form)
        if apply_or_add_error(form, lambda: update_task_refusing_breaking_changes(of_task, **data)):
            messages.success(request, f"Task {of_task} saved.")
            return redirect("challenge-organize", challenge.slug)
    context = {"challenge": challenge, "remove": reverse("challenge-task-remove", args=[challenge.slug, task])}
    return render_form_page_or_422(request, form, f"Edit task {task}", TASK_TEMPLATE, does="Save task", **context)


@organizer_required
@require_http_methods(["GET", "POST"])
def add_corpus(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = CorpusForm(challenge, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        if apply_or_add_error(form, lambda: create_challenge_corpus(challenge, **data)):
            number = len(data["articles"])
            if not number:
                messages.success(request, f"Corpus {data['name']} added. Now upload its articles.")
                return redirect("challenge-corpus-upload", challenge.slug, data["slug"])
            messages.success(request, f"Corpus {data['name']} with {number} articles added. Now add a phase with it.")
            return redirect("challenge-organize", challenge.slug)
    return render_form_page_or_422(request, form, "Add a corpus", challenge=challenge)


@organizer_required
@require_http_methods(["GET", "POST"])
def add_phase(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = PhaseForm(challenge, request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        if apply_or_add_error(form, lambda: creation.create_phase_claiming_blind_corpus(challenge, **data)):
            messages.success(request, f"{data['sort'].capitalize()} phase added. Check its rules.")
            return redirect("challenge-organize", challenge.slug)
    return render_form_page_or_422(
        request, form, "Add a phase", "evaluation/challenges/phase_form.html", challenge=challenge
    )


@organizer_required
@require_http_methods(["GET", "POST"])
def edit_challenge_description_and_entry_rules(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    # Before the form puts what was typed into the challenge: which pictures its stored description shows.
    context = {"upload": PictureUploadForm(label_suffix=""), "pictures": list_pictures_for_organizers(challenge)}
    form = ChallengeRulesForm(request.POST or None, instance=challenge)
    if request.method == "POST" and form.is_valid() and apply_or_add_error(form, form.save):
        messages.success(request, "Rules saved.")
        return redirect("challenge-organize", challenge.slug)
    return render_form_page_or_422(
        request, form, "Description and rules", RULES_TEMPLATE, does="Save rules", challenge=challenge, **context
    )


@organizer_required
@require_http_methods(["GET", "POST"])
def edit_phase_rules(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    of_phase = get_challenge_phase_or_404(challenge, phase)
    form = PhaseRulesForm(request.POST or None, instance=of_phase)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            form.save()
            copy_time_limit_and_attempts_to_queues(of_phase)
        messages.success(request, f"Rules of the {phase} phase saved.")
        return redirect("challenge-organize", challenge.slug)
    return render_form_page_or_422(
        request, form, f"Rules of the {phase} phase", PHASE_RULES_TEMPLATE, does="Save rules", challenge=challenge
    )


def _build_removal_question(
    challenge: Challenge, name: str, loss: str, golds: QuerySet[GoldStandard]
) -> ConfirmationQuestion:
    """name: what is removed, after the verb; loss: what is deleted with it, besides the gold standards."""
    consequences = [
        loss,
        *(f"The gold standard “{gold.source}” is deleted." for gold in golds.order_by("pk")),
        UNDONE,
    ]
    back = reverse("challenge-organize", args=[challenge.slug])
    return ConfirmationQuestion(f"Remove {name}?", consequences, f"Remove {name}", back)


def _describe_task_removal(challenge: Challenge, task: str) -> ConfirmationQuestion:
    of_task = get_object_or_404(challenge.tasks, name=task)
    return _build_removal_question(
        challenge, f"task {task}", f"{of_task}: {of_task.title} is deleted.", of_task.golds.all()
    )


@organizer_confirmed_action(_describe_task_removal)
def remove_unused_task_and_gold(request: HttpRequest, challenge: Challenge, task: str) -> None:
    corrections.delete_task_and_gold_unless_submitted_or_published(get_object_or_404(challenge.tasks, name=task))
    messages.success(request, f"Task {task} removed.")


def _describe_phase_removal(challenge: Challenge, phase: str) -> ConfirmationQuestion:
    of_phase = get_challenge_phase_or_404(challenge, phase)
    loss = f"The {phase} phase with its dates and rules is deleted. {of_phase.corpus} and its articles stay."
    return _build_removal_question(challenge, f"the {phase} phase", loss, of_phase.golds.all())


@organizer_confirmed_action(_describe_phase_removal)
def remove_unused_phase_and_gold(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    corrections.delete_unused_phase_and_gold(get_challenge_phase_or_404(challenge, phase))
    messages.success(request, f"{phase.capitalize()} phase removed. Its corpus was kept.")
