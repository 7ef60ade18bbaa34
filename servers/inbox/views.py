"""The page of the notifications of an account."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from servers.inbox.entries import KEPT, list_entries_newest_first, mark_entries_read
from servers.inbox.entry_groups import group_entries
from servers.inbox.forms import ReadForm
from servers.teams.permissions import get_logged_in_user_id

ENTRIES_PER_PAGE = 50


@login_required
@require_safe
def show_inbox(request: HttpRequest) -> HttpResponse:
    """Newest first, and equal ones together; those that the reader has not marked as read stand out."""
    entries = list_entries_newest_first(get_logged_in_user_id(request.user))
    page = Paginator(entries, ENTRIES_PER_PAGE).get_page(request.GET.get("page"))
    newest = entries.first()
    context = {"page": page, "groups": group_entries(page), "newest": newest, "days": KEPT.days}
    return render(request, "inbox/inbox.html", context)


@login_required
@require_POST
def mark_inbox_read(request: HttpRequest) -> HttpResponse:
    """Mark everything up to the entry that was the newest when the page was shown."""
    form = ReadForm(request.POST)
    if form.is_valid():
        mark_entries_read(get_logged_in_user_id(request.user), form.cleaned_data["up_to"])
    else:
        messages.error(request, "Reload the page, then mark the notifications as read.")
    return redirect("inbox")
