"""Who may use each URL of the site and of the API, in one table, which the manual shows.

The code that decides is in servers/teams/permissions.py, evaluation/challenges/permissions.py and
evaluation/visibility.py.
tests/integration/bcms/test_access_table.py requests every URL in every role and compares the responses with this table.
When you add a URL, add its name to the table, or the test fails.

With the suffix `:test`, a name stands for the same URL with an object of an unpublished phase, such as a blind article,
a result or a run; without such a row, the same people have access as to other objects.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bcms import access_audiences as audiences
from bcms.access_audiences import Audience

HIDDEN_SUFFIX = ":test"

ACCESS_TABLE: dict[Audience, dict[str, str]] = {
    audiences.EVERYBODY: {
        "GET": """
            account_confirm_email account_email_verification_sent account_inactive account_login
            account_logout account_reset_password account_reset_password_done mfa_login_webauthn
            provider-callback socialaccount_signup
            account_reset_password_from_key account_reset_password_from_key_done account_signup
            api-annotations api-article api-article-entries api-challenge-announcements api-challenge-discussion
            api-challenge-pictures api-challenge-thread
            api-article-digital-abstract api-article-digital-abstract-file api-curations-data
            api-curations-data-file api-digital-abstracts api-digital-abstracts-file curations-data
            api-data api-data-set api-data-set-file api-article-export api-article-mention
            api-article-request api-article-result api-article-servers api-articles api-challenge
            api-challenges api-consensus api-consensus-methods api-corpora api-corpus api-corpus-compare
            api-corpus-croissant api-console
            api-docs api-entries api-export api-leaderboard api-leaderboard-file api-leaderboard-pairs
            api-leaderboard-run api-leaderboard-score api-measures api-phase-articles api-phase-mean-ranks
            api-root api-schema api-search-export api-server api-server-availability api-servers article
            article-doi article-export article-live article-reply article-request article-request-live
            article-compare article-result article-results becalm-save challenge challenge-announcements
            challenge-announcements-feed
            challenge-citation challenge-data challenge-discussion challenge-leaderboards challenge-list challenge-rules
            challenge-mail-unsubscribe challenge-participants challenge-picture
            challenge-thread client corpus-compare
            data-set data-set-file data-set-live data-sets about accessibility privacy signing-key status terms
            document health readiness home invitation leaderboard leaderboard-csv leaderboard-file leaderboard-json
            leaderboard-latex leaderboard-live leaderboard-pairs leaderboard-run leaderboard-score leaderboard-svg
            leaderboard-time login logout mail-unsubscribe manual manual-page manuscript-link phase-articles
            phase-articles-file phase-mean-ranks search server server-availability server-badge server-list starter team
            tapk weekly-report-unsubscribe widget-article widget-script xmlrpc
        """,
        "POST": """
            account_confirm_email account_login account_logout account_reset_password
            account_reset_password_from_key account_signup mfa_login_webauthn article-ask article-ask-for
            provider-login socialaccount_signup
            becalm-documents becalm-save health login logout mail-unsubscribe xmlrpc api-tapk tapk
            api-article-requests api-article-servers challenge-mail-unsubscribe weekly-report-unsubscribe
        """,
    },
    audiences.LOGGED_IN: {
        "GET": """
            account account-close account-curator account_change_password account_email account_reauthenticate
            account_set_password api-curations api-inbox api-labels api-manuscript-results api-manuscripts
            data-set-new inbox annotate api-pasted-texts api-pasted-text-servers
            api-account api-team-runs api-teams challenge-runs label-list mfa_activate_totp mfa_authenticate
            mfa_deactivate_totp
            mfa_download_recovery_codes mfa_generate_recovery_codes mfa_index mfa_reauthenticate mfa_add_webauthn
            mfa_edit_webauthn mfa_reauthenticate_webauthn mfa_remove_webauthn provider-confirm-choice
            socialaccount_connections
            mfa_view_recovery_codes team-new token-new api-curation-projects api-curation-worklist
            challenge-thread-new curation-project-new curation-worklist server-register
        """,
        "POST": """
            account-close account-curator account_change_password account_email account_reauthenticate
            account_set_password api-inbox-read inbox-read annotate api-pasted-texts
            mfa_activate_totp mfa_authenticate mfa_deactivate_totp mfa_download_recovery_codes
            mfa_generate_recovery_codes mfa_reauthenticate mfa_add_webauthn connection-remove provider-confirm
            provider-connect
            mfa_edit_webauthn mfa_reauthenticate_webauthn mfa_remove_webauthn team-new token-new api-data data-set-new
            api-challenge-discussion api-challenge-thread challenge-mail challenge-thread challenge-thread-new
            server-register
            api-curation-projects curation-project-new api-curations curation-begin
        """,
    },
    audiences.TEAMS_AND_ORGANIZERS: {
        "GET": "api-phase-articles:test phase-articles-file:test",
    },
    audiences.TEAM_AND_ORGANIZERS: {
        "GET": """
            api-article-result:test api-leaderboard-run:test api-run api-run-analysis api-run-articles api-upload
            article-reply:test article-result:test leaderboard-run:test run run-articles run-file run-live upload
            upload-live
        """,
    },
    audiences.TEAM: {
        "GET": """
            api-attempt api-attempts api-calls api-deliveries api-server-decisions api-server-review api-server-trial
            api-team-audit
            server-attempt team-audit
            server-attempts server-live server-log server-notifications server-trial server-trial-live
            server-webhook server-webhook-live
        """,
        "POST": """
            api-server-stop api-server-stop-now api-server-load api-server-queue api-server-start
            api-server-try api-servers server-stop server-stop-now server-load server-maintenance
            server-maintenance-end server-queue server-start server-trial-save server-try
        """,
    },
    audiences.TEAM_ITSELF: {
        "DELETE": "api-run-final",
        "GET": "run-description",
        "PUT": "api-run-description",
        "POST": """
            api-challenge-join api-phase-enter api-phase-load api-run-cut api-run-final api-run-withdraw
            api-team-runs challenge-join challenge-participants challenge-runs phase-enter
            phase-load run-cut run-description run-final run-withdraw
            server-mail-own-preferences team-leave team-weekly-report
        """,
    },
    audiences.MANAGERS: {
        "DELETE": "api-server api-server-credentials api-server-signing-secret",
        "GET": """
            api-server-credentials api-server-signing-secret api-team-deliveries server-credentials server-edit
            team-webhook team-webhook-live team-webhooks
        """,
        "PATCH": "api-server",
        "POST": """
            api-replay api-team-delivery-replay
            api-server-signing-secret api-server-visibility server-visibility server-credentials
            server-credentials-remove server-signing-secret server-signing-secret-remove
            server-edit server-mail-preferences server-new-keys server-remove server-webhook-add
            server-webhook-change server-webhook-remove server-webhook-replay server-webhook-secret
            server-webhook-switch server-webhook-test team-dissolve team-invite team-remove team-role
            team-webhook-add team-webhook-change team-webhook-remove team-webhook-replay team-webhook-secret
            team-webhook-switch team-webhook-test team-withdraw
        """,
        "PUT": "api-server-credentials",
    },
    audiences.ORGANIZERS: {
        "DELETE": """
            api-challenge api-challenge-corpus api-manual-annotations api-challenge-task api-phase
            api-run-baseline api-run-description api-challenge-announcement api-challenge-post-hidden
            api-challenge-picture
        """,
        "GET": """
            api-annotations:test api-article:test api-article-entries:test api-article-servers:test
            api-challenge-audit api-challenge-dry-run api-challenge-rules api-challenge-teams api-consensus:test
            api-challenge-review challenge-audit challenge-definition
            api-challenge-definition api-corpus:test api-phase api-phase-matrix
            article-compare:test article-live:test article-results:test article-upload-live article-upload-report
            article:test
            challenge-announce challenge-pictures
            challenge-corpus-add challenge-corpus-upload challenge-corpus-file challenge-corpus-file-set-up
            challenge-corpus-file-live challenge-dry-run challenge-gold challenge-organize challenge-phase-add
            challenge-description challenge-task challenge-task-add api-challenge-organizers
            corpus-compare:test document:test labelling labelling-file
            labelling-new api-leaderboard-score:test leaderboard-score:test leaderboard-svg:test
            leaderboard-time:test phase-mapping
            phase-matrix phase-matrix-live phase-rules challenge-archive challenge-archive-file challenge-archive-live
            api-challenge-archive api-challenge-archive-file api-corpus-compare:test api-labelling
            api-labelling-gold api-labellings api-pool api-pool-adjudicating api-pool-decisions
            api-pool-judgements pool pool-adjudicate pool-decisions pool-judgements
            api-challenge-manual-annotations challenge-manual-annotations challenge-webhook challenge-webhook-live
            challenge-webhooks api-challenge-deliveries
        """,
        "POST": """
            challenge-webhook-add challenge-webhook-change challenge-webhook-remove challenge-webhook-replay
            challenge-webhook-secret challenge-webhook-switch challenge-webhook-test api-challenge-delivery-replay
            api-labelling-curators api-labelling-gold api-labelling-adjudications api-labellings
            api-challenge-manual-annotations challenge-manual-annotations challenge-manual-annotations-remove
            api-pool-adjudicating api-pool-close api-pool-collect api-pool-judges api-pool-reopen
            challenge-archive api-challenge-archive pool-adjudicate pool-collect pool-judges pool-close pool-reopen
            api-challenge-corpora api-challenge-phases api-challenge-tasks api-challenge-teams
            api-phase-baselines api-phase-begin api-phase-end api-phase-exclude api-phase-freeze api-phase-gold
            api-phase-include
            api-phase-move-end api-phase-publish api-phase-publish-task api-phase-rescore api-phase-unfreeze
            api-phase-resend phase-resend
            article-ask:test api-article-servers:test challenge-team-approve challenge-corpus-add
            challenge-team-disapprove challenge-gold
            api-challenge-announcements challenge-announce challenge-announcement-remove challenge-post-hide
            challenge-thread-change api-challenge-pictures challenge-pictures challenge-picture-text
            challenge-picture-delete
            challenge-organizer-add challenge-organizer-remove challenge-state challenge-task challenge-task-remove
            challenge-delete challenge-corpus-delete challenge-corpus-upload api-challenge-corpus-articles
            challenge-corpus-file challenge-corpus-file-set-up phase-remove api-challenge-organizers challenge-phase-add
            challenge-description challenge-task-add labelling-gold labelling-curator-add labelling-new
            labelling-curator-remove labelling-adjudicate leaderboard-baselines api-data-set-baseline data-set-baseline
            phase-exclude phase-freeze phase-include phase-move-end phase-publish phase-publish-task phase-rescore
            phase-rules phase-begin phase-end phase-unfreeze api-run-baseline run-baseline
            run-description-remove
        """,
        "PUT": """
            api-challenge-rules api-challenge-state api-challenge-task api-phase
            api-challenge-post-hidden api-challenge-thread-state
        """,
    },
    audiences.ANY_ORGANIZER: {
        "GET": "article-upload",
        "POST": "api-articles article-upload",
    },
    audiences.CURATOR: {
        "GET": "api-label api-pool-judging label pool-judge",
        "POST": """
            api-label-answer api-label-clock api-label-pause api-label-resume api-label-show
            api-label-undo
            api-pool-judging label-answer label-clock label-pause label-resume label-undo pool-judge
        """,
    },
    audiences.STAFF: {
        "GET": """
            api-challenge-reviews api-server-reviews challenge-new challenge-new-from-file challenge-copy
            challenge-review challenge-review-list
            server-review review-list
            curation-review curation-review-list
        """,
        "POST": """
            curation-review
            api-challenge-review api-challenges api-challenge-from-file api-data-set-review api-server-review
            challenge-new challenge-new-from-file challenge-copy challenge-review
            data-set-review server-review
        """,
    },
    audiences.OPERATORS: {"GET": "metrics"},
    audiences.ADMINISTRATORS: {
        "GET": """
            admin:annotations_article_change admin:annotations_article_changelist admin:auth_user_change
            admin:annotations_corpus_change admin:annotations_corpus_changelist
            admin:auth_user_changelist admin:evaluation_challenge_change admin:evaluation_challenge_changelist
            admin:index admin:jsi18n admin:servers_server_change admin:servers_server_changelist
            admin:servers_team_change admin:servers_team_changelist api-audit audit operations
        """,
        "POST": """
            admin:annotations_corpus_changelist
            admin:annotations_article_changelist admin:auth_user_changelist admin:evaluation_challenge_changelist
            admin:servers_server_changelist admin:servers_team_changelist
        """,
    },
    audiences.NOBODY: {
        "GET": """
            api-article-export:test api-article-mention:test api-corpus-croissant:test api-run-analysis:test
            api-run-articles:test api-leaderboard-file:test api-unknown article-export:test leaderboard-file:test
            run-articles:test api-curation-project-article:test curation-project-article:test
            curation-project-article-live:test
            api-article-digital-abstract:test api-article-digital-abstract-file:test
            article-digital-abstract-withdraw:test widget-article:test
        """,
        "POST": """
            api-curation-project-article:test curation-project-article:test
            curation-begin:test curation-project-article-live:test article-digital-abstract-withdraw:test
            api-article-digital-abstract-withdraw:test
        """,
    },
    audiences.PROJECT_DECIDERS: {
        "GET": """
            api-curation-project-article api-curation-project-outcome curation-project-article
            curation-project-article-live curation-project-outcome api-curation-project-results
        """,
        "POST": """
            api-curation-project-agreed api-curation-project-article curation-project-agreed curation-project-article
            curation-project-article-live
        """,
    },
    audiences.PROJECT_OWNER: {
        "POST": """
            api-curation-project-adjudicator-add api-curation-project-assign api-curation-project-close
            api-curation-project-curator-add api-curation-project-curator-remove api-curation-project-gold
            api-curation-project-split curation-project-adjudicator-add curation-project-assign curation-project-close
            curation-project-curator-add curation-project-curator-remove curation-project-gold
            curation-project-hand-over curation-project-split
        """,
    },
    audiences.PROJECT_MEMBERS: {
        "GET": "api-curation-project curation-hand-over curation-project",
        "POST": """
            api-curation-hand-over curation-hand-over
        """,
    },
    audiences.PROJECT_PARTICIPANTS: {
        "GET": "api-curation-project-results-table curation-project-results curation-project-results-table",
    },
    audiences.PROJECT_CURATOR: {
        "GET": "api-curation-questionnaire curation-accept curation-questionnaire",
        "POST": """
            api-curation-accept api-curation-project-leave api-curation-project-take api-curation-questionnaire
            curation-accept curation-questionnaire curation-project-leave curation-project-take
        """,
    },
    audiences.JOURNALS: {
        "POST": "api-manuscripts",
    },
    audiences.JOURNAL: {
        "DELETE": "api-manuscript-curator api-manuscript-link",
        "GET": "api-manuscript",
        "POST": """
            api-manuscript-curators api-manuscript-links api-manuscript-publish api-manuscript-refuse
            api-manuscript-remind api-manuscript-withdraw
        """,
    },
    audiences.LINK_HOLDERS: {
        "GET": "manuscript manuscript-live",
        "POST": "manuscript-comment manuscript-comment-done manuscript-questionnaire manuscript-refuse",
    },
    audiences.DATA_SET_OWNER: {
        "POST": """
            api-data-set-propose api-data-set-update api-data-set-withdraw data-set-propose data-set-update
            data-set-withdraw
        """,
    },
    audiences.DATA_SET_OWNER_ITSELF: {
        "POST": "api-data-set-run data-set-run",
    },
    audiences.POST_AUTHOR: {"DELETE": "api-challenge-post", "POST": "challenge-post-remove"},
    audiences.CURATION_OWNER: {
        "GET": """
            api-curation api-curation-candidates curation curation-file curation-item curation-live
        """,
        "POST": """
            api-curation-decisions api-curation-file api-curation-finish api-curation-open api-curation-propose
            api-curation-reopen curation-continue curation-decide curation-file curation-finish curation-live
            curation-notes curation-propose curation-reopen curation-sight
        """,
    },
    audiences.RECORD_WITHDRAWERS: {
        "GET": """
            article-digital-abstract-withdraw
        """,
        "POST": """
            api-article-digital-abstract-withdraw article-digital-abstract-withdraw
        """,
    },
    audiences.OWNER: {
        "GET": """
            api-challenge-draft-archive challenge-draft-archive challenge-draft-archive-live
            pasted-text pasted-text-live api-pasted-text
        """,
        "DELETE": "api-pasted-text",
        "POST": "invitation token-revoke pasted-text-delete",
    },
}


@dataclass(frozen=True, slots=True)
class AccessRow:
    """Who may send requests with a method to a URL; hidden: with an object of an unpublished phase."""

    audience: Audience
    method: str
    name: str
    hidden: bool


def iter_access_rows() -> Iterator[AccessRow]:
    """The rows of ACCESS_TABLE in its order."""
    for audience, names_by_method in ACCESS_TABLE.items():
        for method, names in names_by_method.items():
            for name in names.split():
                yield AccessRow(audience, method, name.removesuffix(HIDDEN_SUFFIX), name.endswith(HIDDEN_SUFFIX))
