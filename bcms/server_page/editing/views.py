"""Edit a server's registration. A new name also applies to its results, and to its runs that are not published yet."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from bcms.server_page.editing.server_changes import store_server_changes_renaming_unpublished_runs
from servers.calls.loop import SLICE_SECONDS
from servers.registry.forms import ServerForm
from servers.registry.lookup import get_server_for_manager
from servers.registry.models import Server


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_server_and_rename_unpublished_runs(request: HttpRequest, slug: str) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    form = ServerForm(request.POST or None, instance=server)
    if not form.is_valid():
        name = Server.objects.values_list("name", flat=True).get(pk=server.pk)
        context = {"form": form, "slug": slug, "name": name, "within": f"{SLICE_SECONDS:g}"}
        return render(request, "servers/registry/edit.html", context, status=422 if form.errors else 200)
    store_server_changes_renaming_unpublished_runs(form)
    messages.success(request, f"The changes are saved. They apply to calls within {SLICE_SECONDS:g} s.")
    return redirect("server", slug=slug)
