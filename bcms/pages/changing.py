"""Change how a server is registered; with its name goes all that it said, and its runs as long as they may."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evaluation.naming import rename_runs
from servers.forms import ServerForm
from servers.loop import SLICE_SECONDS
from servers.models import Server
from servers.views import server_to_change


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    server = server_to_change(request, slug)
    form = ServerForm(request.POST or None, instance=server)
    if not form.is_valid():
        name = Server.objects.values_list("name", flat=True).get(pk=server.pk)
        context = {"form": form, "slug": slug, "name": name, "within": f"{SLICE_SECONDS:g}"}
        return render(request, "servers/edit.html", context, status=422 if form.errors else 200)
    with transaction.atomic():
        form.store()
        rename_runs(server, form.cleaned_data["name"])
    messages.success(request, f"The changes are stored; within {SLICE_SECONDS:g} s articles are asked with them.")
    return redirect("server", slug=slug)
