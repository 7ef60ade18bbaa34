"""What administrators see and do in Django's administration. Everything is read-only: actions call operations.

No field is shown unless it is named here, so that keys, tokens, secrets, sealed gold standards and opaque ids stay out.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from allauth.account.models import EmailAddress
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.auth.models import User as Account
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from annotations.articles.models import Article, ArticleTakedown, Corpus
from bcms.administration.account_rights import (
    GRANTABLE_RIGHTS,
    AdministrationError,
    block_account,
    grant_right,
    unblock_account,
    withdraw_right,
)
from bcms.administration.featured_corpora import feature_public_corpus, stop_featuring_corpus
from bcms.administration.site import site
from bcms.administration.takedowns import show_article_again, take_article_down
from evaluation.challenges.models import Challenge
from evaluation.visibility import is_staff
from servers.calls.secret_masking import mask_secrets
from servers.registry.models import Server
from servers.review.decisions import apply_review_decision
from servers.review.states import ReviewState
from servers.teams.models import Membership, Team

if TYPE_CHECKING:
    BaseAdmin = admin.ModelAdmin[Any]
else:
    BaseAdmin = admin.ModelAdmin


class ReasonedActionForm(ActionForm):
    """The choice of an action, with the reason that the audit trail keeps."""

    reason = forms.CharField(required=False, max_length=500, label="Reason", widget=forms.TextInput(attrs={"size": 40}))


class ReadOnlyAdmin(BaseAdmin):
    """Lists and pages to read, for administrators."""

    action_form = ReasonedActionForm
    actions_selection_counter = True
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_staff(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_staff(request.user)

    def apply_to_each(
        self,
        request: HttpRequest,
        rows: QuerySet[Any],
        operation: Callable[[Any, str], bool],
        done: str,
        *,
        needs_reason: bool = False,
    ) -> None:
        """Run an operation for each chosen row with the reason, and say for how many it changed something."""
        reason = request.POST.get("reason", "").strip()[:500]
        if needs_reason and not reason:
            messages.error(request, "Enter a reason; the audit trail keeps it.")
            return
        changed = 0
        for row in rows:
            try:
                changed += operation(row, reason)
            except AdministrationError as error:
                messages.error(request, str(error))
        messages.success(request, f"{changed} of {len(rows)} {done}.")


@admin.register(Account, site=site)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("username", "list_addresses", "is_active", "is_staff", "last_login", "list_rights")
    list_filter = ("is_active", "is_staff")
    search_fields = ("username", "emailaddress__email")
    fields = (*list_display, "date_joined", "list_teams")
    ordering = ("username",)
    actions = (
        *("block", "unblock", "grant_challenges", "withdraw_challenges", "grant_reviews", "withdraw_reviews"),
        *("grant_manuscripts", "withdraw_manuscripts"),
    )

    @admin.display(description="addresses")
    def list_addresses(self, account: Account) -> str:
        addresses = EmailAddress.objects.filter(user=account).order_by("-primary", "email")
        return ", ".join(each.email if each.verified else f"{each.email} (unconfirmed)" for each in addresses)

    @admin.display(description="rights")
    def list_rights(self, account: Account) -> str:
        names = account.user_permissions.values_list("content_type__app_label", "codename")
        return ", ".join(GRANTABLE_RIGHTS.get(f"{app}.{name}", name) for app, name in names)

    @admin.display(description="teams")
    def list_teams(self, account: Account) -> str:
        members = Membership.objects.filter(user=account).select_related("team").order_by("team__name")
        return ", ".join(f"{member.team} ({member.role})" for member in members)

    @admin.action(description="Block: end sessions and revoke tokens")
    def block(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        def block_one(account: Account, reason: str) -> bool:
            return block_account(account, request.user, reason)

        self.apply_to_each(request, rows, block_one, "accounts were blocked", needs_reason=True)

    @admin.action(description="Unblock")
    def unblock(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        def unblock_one(account: Account, reason: str) -> bool:
            return unblock_account(account, request.user, reason)

        self.apply_to_each(request, rows, unblock_one, "accounts were unblocked")

    @admin.action(description="Grant the right to add challenges")
    def grant_challenges(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        self._change_right(request, rows, grant_right, "evaluation.add_challenge")

    @admin.action(description="Withdraw the right to add challenges")
    def withdraw_challenges(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        self._change_right(request, rows, withdraw_right, "evaluation.add_challenge")

    @admin.action(description="Grant the right to review servers")
    def grant_reviews(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        self._change_right(request, rows, grant_right, "servers.review_server")

    @admin.action(description="Withdraw the right to review servers")
    def withdraw_reviews(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        self._change_right(request, rows, withdraw_right, "servers.review_server")

    @admin.action(description="Grant the right to submit manuscripts as a journal")
    def grant_manuscripts(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        self._change_right(request, rows, grant_right, "annotations.submit_manuscript")

    @admin.action(description="Withdraw the right to submit manuscripts as a journal")
    def withdraw_manuscripts(self, request: HttpRequest, rows: QuerySet[Account]) -> None:
        self._change_right(request, rows, withdraw_right, "annotations.submit_manuscript")

    def _change_right(
        self, request: HttpRequest, rows: QuerySet[Account], operation: Callable[..., bool], right: str
    ) -> None:
        def change_one(account: Account, reason: str) -> bool:
            return operation(account, right, request.user, reason)

        self.apply_to_each(request, rows, change_one, "accounts were changed")


@admin.register(Article, site=site)
class ArticleAdmin(ReadOnlyAdmin):
    """The articles that were taken down, and the one with the PMID, PMCID or DOI that is searched for.

    Blind articles are left out, so that no page shows which article has which opaque id.
    """

    list_display = ("name_article", "show_title", "journal", "year", "is_down", "show_reason")
    fields = (*list_display, "link_page")
    search_fields = ("=pmid", "=pmcid", "=doi")
    search_help_text = "PMID, PMCID or DOI. Without one, the articles that were taken down are listed."
    actions = ("take_down", "show_again")
    ordering = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Article]:
        return Article.objects.filter(blind=False).select_related("takedown").defer("passages", "text", "metadata")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Article], search_term: str
    ) -> tuple[QuerySet[Article], bool]:
        if not search_term.strip():
            return queryset.filter(takedown__isnull=False), False
        return super().get_search_results(request, queryset, search_term)

    @admin.display(description="article")
    def name_article(self, article: Article) -> str:
        return f"PMID {article.pmid}" if article.pmid else article.doi or article.pmcid or "without a PMID"

    @admin.display(description="title")
    def show_title(self, article: Article) -> str:
        return article.title

    @admin.display(description="taken down", boolean=True)
    def is_down(self, article: Article) -> bool:
        return _find_takedown(article) is not None

    @admin.display(description="reason")
    def show_reason(self, article: Article) -> str:
        takedown = _find_takedown(article)
        return takedown.reason if takedown else ""

    @admin.display(description="page")
    def link_page(self, article: Article) -> str:
        if not article.pmid:
            return ""
        return format_html('<a href="{}">PMID {}</a>', reverse("article", args=[article.pmid]), article.pmid)

    @admin.action(description="Take down: hide from everybody but administrators")
    def take_down(self, request: HttpRequest, rows: QuerySet[Article]) -> None:
        def hide(article: Article, reason: str) -> bool:
            return take_article_down(article, reason, request.user)

        self.apply_to_each(request, rows, hide, "articles were taken down", needs_reason=True)

    @admin.action(description="Show again")
    def show_again(self, request: HttpRequest, rows: QuerySet[Article]) -> None:
        def show(article: Article, reason: str) -> bool:
            return show_article_again(article, reason, request.user)

        self.apply_to_each(request, rows, show, "articles are shown again")


def _find_takedown(article: Article) -> ArticleTakedown | None:
    takedown: ArticleTakedown | None = getattr(article, "takedown", None)
    return takedown


@admin.register(Team, site=site)
class TeamAdmin(ReadOnlyAdmin):
    list_display = ("name", "slug", "list_members")
    fields = list_display
    search_fields = ("name", "slug")
    ordering = ("name",)
    actions = None

    @admin.display(description="members")
    def list_members(self, team: Team) -> str:
        members = Membership.objects.filter(team=team).select_related("user").order_by("role", "user__username")
        return ", ".join(f"{member.user.get_username()} ({member.role})" for member in members)


@admin.register(Server, site=site)
class ServerAdmin(ReadOnlyAdmin):
    list_display = ("name", "team", "review", "state", "state_since", "created", "link_review")
    fields = (*list_display, "slug", "description", "show_url", "protocol", "kinds", "time_limit", "state_reason")
    list_select_related = ("team",)
    search_fields = ("name", "slug", "team__name")
    list_filter = ("review", "state")
    ordering = ("name",)
    actions = ("accept", "decline")

    @admin.display(description="evidence")
    def link_review(self, server: Server) -> str:
        return format_html('<a href="{}">Review</a>', reverse("server-review", args=[server.slug]))

    @admin.action(description="Accept: show its live annotations to everybody")
    def accept(self, request: HttpRequest, rows: QuerySet[Server]) -> None:
        def accept_one(server: Server, reason: str) -> bool:
            return apply_review_decision(server, ReviewState.ACCEPTED, reason, request.user)

        self.apply_to_each(request, rows, accept_one, "servers were accepted")

    @admin.action(description="Decline: show its live annotations to its team only")
    def decline(self, request: HttpRequest, rows: QuerySet[Server]) -> None:
        def decline_one(server: Server, reason: str) -> bool:
            return apply_review_decision(server, ReviewState.DECLINED, reason, request.user)

        self.apply_to_each(request, rows, decline_one, "servers were declined", needs_reason=True)

    @admin.display(description="URL, without secrets")
    def show_url(self, server: Server) -> str:
        return mask_secrets(server.url)


@admin.register(Corpus, site=site)
class CorpusAdmin(ReadOnlyAdmin):
    """All corpora. Public ones can be featured on the home page."""

    list_display = ("name", "slug", "blind", "featured")
    fields = (*list_display, "description")
    search_fields = ("name", "slug")
    list_filter = ("featured",)
    ordering = ("name",)
    actions = ("feature", "stop_featuring")

    @admin.action(description="Offer the articles on the home page")
    def feature(self, request: HttpRequest, rows: QuerySet[Corpus]) -> None:
        self.apply_to_each(request, rows, lambda corpus, _: feature_public_corpus(corpus), "corpora are now featured")

    @admin.action(description="Stop offering the articles on the home page")
    def stop_featuring(self, request: HttpRequest, rows: QuerySet[Corpus]) -> None:
        self.apply_to_each(request, rows, lambda corpus, _: stop_featuring_corpus(corpus), "corpora were changed")


@admin.register(Challenge, site=site)
class ChallengeAdmin(ReadOnlyAdmin):
    list_display = ("name", "slug", "list_organizers")
    fields = (*list_display, "description")
    search_fields = ("name", "slug")
    ordering = ("name",)
    actions = None

    @admin.display(description="organizers")
    def list_organizers(self, challenge: Challenge) -> str:
        return ", ".join(challenge.organizers.order_by("username").values_list("username", flat=True))


ADMINISTRATION_URLS = site.urls
