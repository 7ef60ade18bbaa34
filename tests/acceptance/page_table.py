"""Every page of the site, by the name of its address: as whom it is looked at, and where.

A page whose address is new belongs into the table; what is no page of its own into the lists below.
"""

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.urls import get_resolver, reverse

from bcms.manual.pages import MANUAL_PAGES
from bcms.weekly_report.links import make_report_token
from evaluation.archives.models import DraftArchive
from evaluation.challenges.followers.unsubscribe_links import make_challenge_mail_token
from servers.notifications.mail.unsubscribe_links import make_unsubscribe_token
from servers.teams.invitations import make_invitation_token
from tests.acceptance.whole_site import PMID, Site

# The page comes after.
BUTTONS = """
curation-begin curation-continue curation-decide curation-finish curation-notes curation-propose curation-reopen
inbox-read pasted-text-delete curation-sight manuscript-comment manuscript-comment-done manuscript-questionnaire
manuscript-refuse
article-ask article-ask-for challenge-organizer-add challenge-team-approve challenge-team-disapprove
challenge-announcement-remove challenge-mail challenge-picture-delete challenge-picture-text challenge-post-hide
challenge-post-remove challenge-thread-change
challenge-join challenge-organizer-remove challenge-state challenge-delete challenge-corpus-delete
challenge-task-remove label-answer label-clock label-pause
label-resume label-undo labelling-gold labelling-curator-add labelling-curator-remove labelling-adjudicate
leaderboard-baselines phase-enter
phase-begin phase-end phase-exclude phase-freeze phase-include phase-load phase-move-end phase-publish
phase-publish-task phase-remove phase-rescore phase-resend phase-unfreeze pool-close pool-collect pool-judges
pool-reopen run-cut run-baseline run-description-remove run-final run-withdraw server-stop server-stop-now
server-load server-mail-preferences
server-maintenance server-maintenance-end server-mail-own-preferences server-new-keys server-queue
server-credentials-remove server-signing-secret server-signing-secret-remove
server-remove server-start server-trial-save server-try server-visibility server-webhook-add server-webhook-change
server-webhook-remove server-webhook-replay server-webhook-secret server-webhook-switch server-webhook-test
challenge-webhook-add challenge-webhook-change challenge-webhook-remove challenge-webhook-replay
challenge-webhook-secret challenge-webhook-switch challenge-webhook-test
team-webhook-add team-webhook-change team-webhook-remove team-webhook-replay team-webhook-secret team-webhook-switch
team-webhook-test
connection-remove provider-confirm provider-connect provider-login
team-dissolve team-invite team-leave team-remove team-role team-weekly-report team-withdraw token-revoke
challenge-manual-annotations-remove data-set-baseline data-set-propose data-set-review data-set-run
data-set-update data-set-withdraw
curation-project-adjudicator-add curation-project-agreed curation-project-assign curation-project-close
curation-project-curator-add curation-project-curator-remove curation-project-gold
curation-project-hand-over curation-project-leave
curation-project-split curation-project-take
"""
FRAGMENTS = """
article-live article-request-live article-upload-live challenge-archive-live challenge-corpus-file-live curation-live
challenge-draft-archive-live
curation-project-article-live data-set-live leaderboard-live
manuscript-live pasted-text-live phase-matrix-live run-live server-live server-trial-live server-webhook-live
upload-live challenge-webhook-live team-webhook-live
"""
# And what programs ask for.
FILES = """
article-export article-reply becalm-documents becalm-save challenge-announcements-feed challenge-archive-file
challenge-definition challenge-citation challenge-picture client curation-project-results-table
data-set-file document health metrics readiness
labelling-file leaderboard-csv leaderboard-file leaderboard-json leaderboard-latex leaderboard-run leaderboard-svg
leaderboard-time
mfa_download_recovery_codes phase-articles-file phase-mapping pool-decisions pool-judgements run-file server-badge
server-log signing-key starter widget-article widget-script xmlrpc
"""
# Names that allauth looks up, of pages that have ours besides.
TWICE = "account_login account_logout"
NO_PAGES = {*BUTTONS.split(), *FRAGMENTS.split(), *FILES.split(), *TWICE.split()}


def list_url_names() -> set[str]:
    """All but those of REST, whose pages are its documentation and its console."""
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    return {name for name in names if not name.startswith("api-")} | {"api-docs", "api-console"}


def pages(site: Site) -> dict[str, list[tuple[str, str]]]:
    """The pages by name, each with who looks at it and its address."""
    return account_pages(site) | article_pages(site) | server_pages(site) | challenge_pages(site)


def account_pages(site: Site) -> dict[str, list[tuple[str, str]]]:
    dan = site.users["dan"]
    confirmation = EmailConfirmationHMAC(EmailAddress.objects.get(email="at-home@example.org")).key
    reset = [user_pk_to_url_str(dan), default_token_generator.make_token(dan)]
    invitation, stop = make_invitation_token(site.invitation), make_unsubscribe_token(dan.pk, site.server.pk)
    return {
        "login": [("visitor", reverse("login"))],
        "logout": [("dan", reverse("logout"))],
        "account_signup": [("visitor", reverse("account_signup"))],
        "account": [("alice", reverse("account")), ("carol", reverse("account")), ("eve", reverse("account"))],
        "account-close": [("carol", reverse("account-close"))],
        "inbox": [("alice", reverse("inbox")), ("carol", reverse("inbox"))],
        "account-curator": [("alice", reverse("account-curator"))],
        "annotate": [("carol", reverse("annotate"))],
        "pasted-text": [
            ("carol", reverse("pasted-text", args=[site.pasted_text])),
            ("carol", f"{reverse('pasted-text', args=[site.pasted_text])}?kind=mention&mention=0-4"),
        ],
        "audit": [("staff", reverse("audit"))],
        "operations": [("staff", reverse("operations"))],
        "token-new": [("alice", reverse("token-new"))],
        "account_inactive": [("visitor", reverse("account_inactive"))],
        "account_reauthenticate": [("alice", reverse("account_reauthenticate"))],
        "account_email": [("dan", reverse("account_email"))],
        "account_email_verification_sent": [("visitor", reverse("account_email_verification_sent"))],
        "account_confirm_email": [("visitor", reverse("account_confirm_email", args=[confirmation]))],
        "account_change_password": [("alice", reverse("account_change_password"))],
        "account_set_password": [("finn", reverse("account_set_password"))],
        "account_reset_password": [("visitor", reverse("account_reset_password"))],
        "account_reset_password_done": [("visitor", reverse("account_reset_password_done"))],
        "account_reset_password_from_key": [
            ("visitor", reverse("account_reset_password_from_key", args=reset)),
            ("visitor", reverse("account_reset_password_from_key", args=[reset[0], "spent-link"])),
        ],
        "account_reset_password_from_key_done": [("visitor", reverse("account_reset_password_from_key_done"))],
        "mfa_index": [("alice", reverse("mfa_index")), ("eve", reverse("mfa_index"))],
        "mfa_authenticate": [("half", reverse("mfa_authenticate"))],
        "mfa_reauthenticate": [("eve", reverse("mfa_reauthenticate"))],
        "mfa_activate_totp": [("alice", reverse("mfa_activate_totp"))],
        "mfa_deactivate_totp": [("eve", reverse("mfa_deactivate_totp"))],
        "mfa_view_recovery_codes": [("eve", reverse("mfa_view_recovery_codes"))],
        "mfa_generate_recovery_codes": [("eve", reverse("mfa_generate_recovery_codes"))],
        "mfa_login_webauthn": [("visitor", reverse("mfa_login_webauthn"))],
        "mfa_add_webauthn": [("alice", reverse("mfa_add_webauthn"))],
        "mfa_edit_webauthn": [("eve", reverse("mfa_edit_webauthn", args=[site.passkey]))],
        "mfa_reauthenticate_webauthn": [("eve", reverse("mfa_reauthenticate_webauthn"))],
        "mfa_remove_webauthn": [("eve", reverse("mfa_remove_webauthn", args=[site.passkey]))],
        "provider-callback": [("visitor", reverse("provider-callback", args=["orcid"]))],
        "provider-confirm-choice": [("finn", reverse("provider-confirm-choice"))],
        "socialaccount_connections": [(who, reverse("socialaccount_connections")) for who in ("alice", "finn")],
        "socialaccount_signup": [("arriving", reverse("socialaccount_signup"))],
        "invitation": [(who, reverse("invitation", args=[invitation])) for who in ("visitor", "finn", "carol")],
        "mail-unsubscribe": [
            ("visitor", reverse("mail-unsubscribe", args=[token])) for token in (stop, "no-such-token")
        ],
        "weekly-report-unsubscribe": [
            ("visitor", reverse("weekly-report-unsubscribe", args=[token]))
            for token in (make_report_token(site.server.team_id, dan.pk), "no-such-token")
        ],
    }


def article_pages(site: Site) -> dict[str, list[tuple[str, str]]]:
    article, hits, taken = reverse("article", args=[PMID]), reverse("search"), site.articles
    return {
        "home": [(who, reverse("home")) for who in ("visitor", "alice", "olga")],
        **{name: [("visitor", reverse(name))] for name in ("about", "privacy", "terms", "accessibility", "status")},
        "manual": [("visitor", reverse("manual")), ("visitor", f"{reverse('manual')}?q=confidence")],
        "manual-page": [("visitor", reverse("manual-page", args=[each.slug])) for each in MANUAL_PAGES],
        "api-docs": [("visitor", reverse("api-docs"))],
        "api-console": [("visitor", reverse("api-console"))],
        "search": [
            ("visitor", hits),
            ("visitor", f"{hits}?q=cadherin&gene=CDH1&order=agreement"),
            ("visitor", f"{hits}?q=nothing-of-the-kind"),
        ],
        "article": [
            ("visitor", article),
            ("visitor", f"{article}?kind=mention&mention=38-48&agree=2"),
            ("visitor", f"{article}?kind=normalization&order=confidence&rule=intersection"),
            ("alice", f"{article}?kind=pair"),
            ("visitor", reverse("article", args=["16054130"])),
            ("visitor", reverse("article", args=["no-such-article"])),
        ],
        **curation_pages(site),
        "data-sets": [("visitor", reverse("data-sets")), ("carol", reverse("data-sets"))],
        "data-set-new": [("carol", reverse("data-set-new"))],
        "data-set": [
            *((who, reverse("data-set", args=[site.data_sets[0]])) for who in ("visitor", "alice")),
            ("staff", reverse("data-set", args=[site.data_sets[1]])),
            ("alice", reverse("data-set", args=[site.data_sets[2]])),
        ],
        "curations-data": [("visitor", reverse("curations-data"))],
        **curator_pages(site),
        **manuscript_pages(site),
        "corpus-compare": [
            ("visitor", reverse("corpus-compare", args=["training"])),
            ("olga", reverse("corpus-compare", args=["training"])),
        ],
        "article-digital-abstract-withdraw": [
            ("carol", reverse("article-digital-abstract-withdraw", args=[PMID])),
        ],
        "article-compare": [("visitor", reverse("article-compare", args=[PMID]))],
        "article-results": [("visitor", reverse("article-results", args=[PMID]))],
        "article-result": [("visitor", reverse("article-result", args=[PMID, site.result.pk]))],
        "article-request": [("visitor", reverse("article-request", args=[site.request.pk]))],
        "article-doi": [("visitor", reverse("article-doi", args=["10.1000/x"]))],
        "article-upload": [("staff", reverse("article-upload")), ("carol", reverse("article-upload"))],
        "article-upload-report": [("staff", reverse("article-upload-report", args=[each])) for each in taken],
    }


def curation_pages(site):
    """Of a project as its owner and a curator see it."""
    project = [site.project]
    return {
        "curation-worklist": [("carol", reverse("curation-worklist")), ("alice", reverse("curation-worklist"))],
        "curation-project-new": [("carol", reverse("curation-project-new"))],
        "curation-project": [(who, reverse("curation-project", args=project)) for who in ("olga", "carol")],
        "curation-project-outcome": [("olga", reverse("curation-project-outcome", args=project))],
        "curation-project-results": [
            (who, reverse("curation-project-results", args=[site.experiment])) for who in ("olga", "carol")
        ],
        "curation-project-article": [("olga", reverse("curation-project-article", args=[site.project, 501]))],
        "curation-hand-over": [("carol", reverse("curation-hand-over", args=[site.begun]))],
        "curation-questionnaire": [("carol", reverse("curation-questionnaire", args=[each])) for each in site.measured],
        "curation-accept": [("carol", reverse("curation-accept", args=[site.begun]))],
    }


def curator_pages(site: Site) -> dict[str, list[tuple[str, str]]]:
    """The workspace at each of its steps, and what reviewers see."""
    open_curation, proposed = (reverse("curation", args=[each]) for each in site.curations)
    steps = ("organisms", "entities", "interactions", "check")
    item = reverse("curation-item", args=[site.curations[0]])
    return {
        "curation": [
            *(("carol", f"{open_curation}?step={step}") for step in steps),
            ("carol", f"{open_curation}?step=entities&kind=mention"),
            ("carol", f"{proposed}?step=check"),
        ],
        "curation-file": [("carol", reverse("curation-file", args=[site.curations[0]]))],
        "curation-item": [
            ("carol", f"{item}?kind={query}") for query in ("entity&key=uniprot:P12830", "relation", "label")
        ],
        "curation-review-list": [(who, reverse("curation-review-list")) for who in ("staff", "carol")],
        "curation-review": [("staff", reverse("curation-review", args=[site.curations[1]]))],
    }


def manuscript_pages(site: Site) -> dict[str, list[tuple[str, str]]]:
    """What links open: for the author, for reviewers, and for nobody. They lead to the page of the manuscript."""
    links = [("visitor", reverse("manuscript-link", args=[token])) for token in site.manuscript_tokens]
    return {"manuscript": links, "manuscript-link": [("visitor", reverse("manuscript-link", args=["no-such-link"]))]}


def server_pages(site: Site) -> dict[str, list[tuple[str, str]]]:
    slug = site.server.slug
    team, server, ups = (reverse(name, args=[arg]) for name, arg in TEAM_AND_SERVER)
    return {
        "server-list": [(who, reverse("server-list")) for who in ("visitor", "alice", "carol")],
        "server": [
            *((who, server) for who in ("visitor", "dan", "alice")),
            ("visitor", reverse("server", args=["long"])),
            ("visitor", reverse("server", args=["no-such-server"])),
            ("alice", reverse("server", args=["long"])),
        ],
        "server-availability": [("visitor", ups), ("alice", ups)],
        "server-attempts": [("alice", reverse("server-attempts", args=[slug]))],
        "server-attempt": [("alice", reverse("server-attempt", args=[slug, site.attempt.pk]))],
        "server-edit": [("alice", reverse("server-edit", args=[slug])), ("dan", reverse("server-edit", args=[slug]))],
        "server-credentials": [("alice", reverse("server-credentials", args=[slug]))],
        "server-register": [("alice", reverse("server-register")), ("carol", reverse("server-register"))],
        "review-list": [(who, reverse("review-list")) for who in ("staff", "carol")],
        "server-review": [("staff", reverse("server-review", args=[slug]))],
        "server-trial": [("alice", reverse("server-trial", args=[trial])) for trial in site.trials],
        "server-notifications": [(who, reverse("server-notifications", args=[slug])) for who in ("alice", "dan")],
        "server-webhook": [("alice", reverse("server-webhook", args=[slug, site.webhook.pk]))],
        "team": [("visitor", team), ("dan", team), ("alice", team)],
        "team-audit": [("alice", reverse("team-audit", args=["team-alpha"]))],
        "team-new": [("carol", reverse("team-new"))],
        **webhook_pages(site),
    }


def webhook_pages(site: Site) -> dict[str, list[tuple[str, str]]]:
    team, challenge = (webhook.pk for webhook in site.challenge_webhooks)
    return {
        "team-webhooks": [("alice", reverse("team-webhooks", args=["team-alpha"]))],
        "team-webhook": [("alice", reverse("team-webhook", args=["team-alpha", team]))],
        "challenge-webhooks": [("olga", reverse("challenge-webhooks", args=["example"]))],
        "challenge-webhook": [("olga", reverse("challenge-webhook", args=["example", challenge]))],
    }


TEAM_AND_SERVER = (("team", "team-alpha"), ("server", "genedict"), ("server-availability", "genedict"))


def challenge_pages(site: Site) -> dict[str, list[tuple[str, str]]]:
    whole, board, phase = ["example"], ["example", "training", "TX"], ["example", "training"]
    return {
        "challenge-list": [("visitor", reverse("challenge-list")), ("staff", reverse("challenge-list"))],
        "challenge-new": [("staff", reverse("challenge-new"))],
        "challenge-new-from-file": [("staff", reverse("challenge-new-from-file"))],
        "challenge-draft-archive": [
            ("olga", reverse("challenge-draft-archive", args=[archive.pk])) for archive in DraftArchive.objects.all()
        ],
        "challenge-copy": [("staff", reverse("challenge-copy", args=["example"]))],
        "challenge": [(who, reverse("challenge", args=whole)) for who in ("visitor", "alice", "olga")],
        **{name: [("olga", reverse(name, args=whole))] for name in ORGANIZER_PAGES},
        **{name: [(who, reverse(name, args=whole)) for who in ("visitor", "alice", "olga")] for name in TABS},
        "challenge-thread": [
            (who, reverse("challenge-thread", args=["example", site.thread.pk])) for who in ("visitor", "alice", "olga")
        ],
        "challenge-thread-new": [("alice", reverse("challenge-thread-new", args=whole))],
        "challenge-mail-unsubscribe": [
            ("visitor", reverse("challenge-mail-unsubscribe", args=[token]))
            for token in (make_challenge_mail_token(site.thread.challenge_id, site.users["dan"].pk), "no-such-token")
        ],
        "challenge-corpus-file-set-up": [("olga", reverse("challenge-corpus-file-set-up", args=["drafted"]))],
        "challenge-corpus-upload": [("olga", reverse("challenge-corpus-upload", args=["example", "unseen"]))],
        "challenge-review-list": [(who, reverse("challenge-review-list")) for who in ("staff", "carol")],
        "challenge-review": [("staff", reverse("challenge-review", args=whole))],
        "tapk": [("visitor", reverse("tapk"))],
        "labelling-new": [("olga", reverse("labelling-new", args=whole))],
        "labelling": [("olga", reverse("labelling", args=["example", "development"]))],
        "label-list": [("carol", reverse("label-list")), ("eve", reverse("label-list"))],
        "label": [(own.user.username, reverse("label", args=[own.pk])) for own in site.labellers],
        "pool": [("olga", reverse("pool", args=POOLED)), ("olga", reverse("pool", args=board))],
        "pool-judge": [("carol", reverse("pool-judge", args=POOLED))],
        "pool-adjudicate": [("eve", reverse("pool-adjudicate", args=POOLED))],
        "phase-rules": [("olga", reverse("phase-rules", args=phase))],
        "phase-matrix": [("olga", reverse("phase-matrix", args=phase))],
        "phase-mean-ranks": [("visitor", reverse("phase-mean-ranks", args=phase))],
        "phase-articles": [
            ("visitor", reverse("phase-articles", args=phase)),
            ("alice", reverse("phase-articles", args=["example", "test"])),
        ],
        "leaderboard": [
            ("visitor", reverse("leaderboard", args=board)),
            ("alice", reverse("leaderboard", args=board)),
            ("olga", reverse("leaderboard", args=[*phase, "ACT"])),
            ("visitor", reverse("leaderboard", args=["example", "test", "TX"])),
        ],
        "challenge-task": [("olga", reverse("challenge-task", args=["example", "ACT"]))],
        "leaderboard-pairs": [("olga", reverse("leaderboard-pairs", args=board))],
        "leaderboard-score": [("alice", reverse("leaderboard-score", args=[*board, site.run.pk]))],
        "challenge-runs": [(who, reverse("challenge-runs", args=board)) for who in ("alice", "carol")],
        "upload": [("alice", reverse("upload", args=[each])) for each in site.runs],
        "run": [("alice", reverse("run", args=[site.run.pk])), ("olga", reverse("run", args=[site.run.pk]))],
        "run-articles": [("alice", reverse("run-articles", args=[site.run.pk]))],
        "run-description": [("alice", reverse("run-description", args=[site.run.pk]))],
    }


TABS = (
    *("challenge-announcements", "challenge-data", "challenge-discussion", "challenge-leaderboards"),
    *("challenge-participants", "challenge-rules"),
)
POOLED = ["pooled", "training", "ISS"]
ORGANIZER_PAGES = (
    "challenge-announce",
    "challenge-archive",
    "challenge-audit",
    "challenge-manual-annotations",
    "challenge-task-add",
    "challenge-corpus-add",
    "challenge-phase-add",
    "challenge-gold",
    "challenge-corpus-file",
    "challenge-organize",
    "challenge-description",
    "challenge-pictures",
    "challenge-dry-run",
)
