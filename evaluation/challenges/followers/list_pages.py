"""Pages with a list of what people wrote about a challenge, beside the choice of mail about it."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.challenges.followers.choices import get_mail_choice
from evaluation.challenges.models import Challenge
from evaluation.challenges.permissions import can_organize


def render_list_beside_mail_choice(
    request: HttpRequest, challenge: Challenge, rows: QuerySet[Any], rows_on_a_page: int, template: str, **context: Any
) -> HttpResponse:
    """The page of the list that the URL asks for; templates get its rows as `listed`."""
    context |= {
        "challenge": challenge,
        "listed": Paginator(rows, rows_on_a_page).get_page(request.GET.get("page")),
        "choice": get_mail_choice(challenge, request.user),
        "organizes": can_organize(request.user, challenge),
    }
    return render(request, template, context)
