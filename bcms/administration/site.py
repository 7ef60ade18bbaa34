"""Django's administration, for administrators with a second factor who have just logged in or entered it again.

Only the addresses that are needed exist: the start page, and the list and the page of each kind of object. Log-in and
passwords are those of the site.
"""

# allauth has no type information.
# mypy: disallow-untyped-decorators=False

from collections.abc import Callable
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.account.decorators import reauthentication_required
from django.contrib import admin, messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_safe

from bcms.accounts.second_factors import get_confirmation_page_name, has_second_factor


def _has_entered_second_factor(request: HttpRequest) -> bool:
    """Whether this session has proved the second factor: one that began before it was set up has not."""
    return any(record.get("method") == "mfa" for record in get_authentication_records(request, request.user))


class AdministrationSite(admin.AdminSite):
    site_header = site_title = "BCMS administration"
    index_title = "Administration"
    enable_nav_sidebar = False
    empty_value_display = "-"

    def admin_view(self, view: Callable[..., HttpResponseBase], cacheable: bool = False) -> Any:
        """Let in administrators only, with a second factor that they have set up and confirmed recently."""
        protected = csrf_protect(never_cache(reauthentication_required(view)))

        def check_and_show(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if not self.has_permission(request):
                raise PermissionDenied
            if not has_second_factor(request.user):
                messages.info(request, "The administration requires two-factor authentication. Set it up first.")
                return redirect("mfa_index")
            if not _has_entered_second_factor(request):
                return redirect_to_login(request.get_full_path(), reverse(get_confirmation_page_name(request.user)))
            response: HttpResponseBase = protected(request, *args, **kwargs)
            return response

        return check_and_show

    def get_urls(self) -> list[URLResolver | URLPattern]:
        """The start page, and for each registered model the addresses of its ModelAdmin."""
        # The texts of the scripts, which Django's templates look up by this name.
        texts = self.admin_view(self.i18n_javascript, cacheable=True)
        urls: list[URLResolver | URLPattern] = [
            path("", require_safe(self.admin_view(self.index)), name="index"),
            path("texts/", require_safe(texts), name="jsi18n"),
        ]
        for model, model_admin in self._registry.items():
            prefix = f"{model._meta.app_label}/{model._meta.model_name}/"
            name = f"{model._meta.app_label}_{model._meta.model_name}"
            changelist = self.admin_view(model_admin.changelist_view)
            change = require_safe(self.admin_view(model_admin.change_view))
            urls.append(path(prefix, changelist, name=f"{name}_changelist"))
            urls.append(path(f"{prefix}<str:object_id>/", change, name=f"{name}_change"))
        return urls

    def _build_app_dict(self, request: HttpRequest, label: Any = None) -> Any:
        """The models of the start page; apps have no pages of their own."""
        with_urls: dict[str, Any] = {}
        for model, model_admin in self._registry.items():
            if not model_admin.has_view_permission(request):
                continue
            options = model._meta
            entry = with_urls.setdefault(
                options.app_label,
                {
                    "name": options.app_config.verbose_name,
                    "app_label": options.app_label,
                    "app_url": f"#{options.app_label}",
                    "has_module_perms": True,
                    "models": [],
                },
            )
            entry["models"].append(
                {
                    "model": model,
                    "name": str(options.verbose_name_plural).capitalize(),
                    "object_name": options.object_name,
                    "perms": model_admin.get_model_perms(request),
                    "admin_url": f"{request.path}{options.app_label}/{options.model_name}/",
                    "add_url": None,
                    "view_only": True,
                }
            )
        return with_urls


site = AdministrationSite()
