"""The page of the questionnaire that follows an article of an experiment."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.projects.questionnaire_replies import store_questionnaire_reply
from annotations.curation.projects.questions import FREE_QUESTION, SCALED_QUESTIONS
from bcms.curation_projects.questionnaires.forms import QuestionnaireForm
from bcms.curation_projects.questionnaires.queries import (
    find_reply,
    get_curation_with_questionnaire_or_404,
    list_answered_statements,
)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def answer_questionnaire(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask once, after the article is finished; afterwards show what was answered."""
    curation = get_curation_with_questionnaire_or_404(request.user, pk)
    form = QuestionnaireForm(curation.arm, request.POST if request.method == "POST" else None)
    if request.POST.get("skip"):
        form = QuestionnaireForm(curation.arm, {})
    if form.is_valid():
        try:
            store_questionnaire_reply(curation.pk, form.list_answers(), form.cleaned_data["comment"], timezone.now())
        except CurationError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Skipped." if request.POST.get("skip") else "Thank you for your answers.")
            return redirect("curation-worklist")
    return _render_questionnaire(request, curation, form)


def _render_questionnaire(request: HttpRequest, curation: Curation, form: QuestionnaireForm) -> HttpResponse:
    reply = find_reply(curation)
    context = {
        "curation": curation,
        "form": form,
        "reply": reply,
        "answered": list_answered_statements(curation.arm, reply) if reply else [],
        "free_question": FREE_QUESTION,
        "question_count": len(SCALED_QUESTIONS) + 1,
    }
    status = 422 if form.errors else 200
    return render(request, "curation_projects/questionnaire.html", context, status=status)
