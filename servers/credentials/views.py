"""Set and remove the credentials of calls to a server and the secret that signs them, on a page of their own."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from servers.credentials.forms import CredentialsForm
from servers.credentials.models import CallCredentials, SigningSecret
from servers.credentials.signing_secrets import remove_signing_secret, replace_signing_secret
from servers.credentials.storage import remove_credentials
from servers.registry.lookup import get_server_for_manager, require_logged_in_post


@sensitive_post_parameters("secret")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_call_credentials(request: HttpRequest, slug: str) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    form = CredentialsForm(request.POST or None)
    has_key = settings.CREDENTIALS_PUBLIC_KEY is not None
    if not has_key or not form.is_valid():
        context = {
            "form": form,
            "server": server,
            "credentials": CallCredentials.objects.filter(server=server).first(),
            "signing": SigningSecret.objects.filter(server=server).first(),
            "has_key": has_key,
        }
        return render(request, "servers/credentials/credentials.html", context, status=422 if form.errors else 200)
    form.store(server)
    messages.success(request, f"The credentials for calls to {server.name} are saved. Test the server to try them.")
    return redirect("server", slug=slug)


@require_logged_in_post
def remove_call_credentials(request: HttpRequest, slug: str) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    if remove_credentials(server):
        messages.success(request, f"The credentials for calls to {server.name} were removed.")
    return redirect("server-credentials", slug=slug)


@never_cache
@require_logged_in_post
def create_signing_secret_and_show_once(request: HttpRequest, slug: str) -> HttpResponse:
    """Sign the calls with a new secret; Http404 if the site has no key for credentials."""
    server = get_server_for_manager(request, slug)
    if settings.CREDENTIALS_PUBLIC_KEY is None:
        raise Http404
    context = {"server": server, "secret": replace_signing_secret(server)}
    return render(request, "servers/credentials/new_signing_secret.html", context)


@require_logged_in_post
def remove_signing_secret_of_server(request: HttpRequest, slug: str) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    if remove_signing_secret(server):
        messages.success(request, f"Calls to {server.name} are not signed any more.")
    return redirect("server-credentials", slug=slug)
