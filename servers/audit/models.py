"""The audit trail: who changed what, from what to what, and when. The database refuses to change or delete its rows."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class AuditAction(models.TextChoices):
    """What can be recorded; the part before the dot groups actions in the filter of the pages."""

    ACCOUNT_LOGGED_IN = "account.logged_in", "logged in"
    ACCOUNT_LOGIN_FAILED = "account.login_failed", "log-in failed"
    ACCOUNT_LOGGED_OUT = "account.logged_out", "logged out"
    ACCOUNT_PASSWORD_CHANGED = "account.password_changed", "password changed"
    ACCOUNT_PASSWORD_VOIDED = "account.password_voided", "password made void"
    ACCOUNT_ADDRESS_CONFIRMED = "account.address_confirmed", "address confirmed"
    ACCOUNT_SECURITY_CHANGED = "account.security_changed", "log-in settings changed"
    ACCOUNT_TOKEN_CREATED = "account.token_created", "token created"
    ACCOUNT_TOKEN_REVOKED = "account.token_revoked", "token revoked"
    ACCOUNT_TOKEN_USED = "account.token_used", "token used for the first time in a day"
    ACCOUNT_BLOCKED = "account.blocked", "account blocked"
    ACCOUNT_UNBLOCKED = "account.unblocked", "account unblocked"
    ACCOUNT_RIGHT_GRANTED = "account.right_granted", "right granted"
    ACCOUNT_RIGHT_WITHDRAWN = "account.right_withdrawn", "right withdrawn"
    ACCOUNT_PROFILE_CHANGED = "account.profile_changed", "curator profile changed"
    ACCOUNT_CLOSED = "account.closed", "account closed"
    ARTICLE_HIDDEN = "article.hidden", "article taken down"
    ARTICLE_SHOWN = "article.shown", "article shown again"
    TEAM_CREATED = "team.created", "team created"
    TEAM_DELETED = "team.deleted", "team deleted"
    TEAM_INVITED = "team.invited", "member invited"
    TEAM_INVITATION_WITHDRAWN = "team.invitation_withdrawn", "invitation withdrawn"
    TEAM_MEMBER_ADDED = "team.member_added", "member added"
    TEAM_MEMBER_REMOVED = "team.member_removed", "member removed"
    TEAM_ROLE_CHANGED = "team.role_changed", "role changed"
    SERVER_REGISTERED = "server.registered", "server registered"
    SERVER_CHANGED = "server.changed", "server changed"
    SERVER_STATE_CHANGED = "server.state_changed", "server's state changed"
    SERVER_REVIEWED = "server.reviewed", "server reviewed"
    SERVER_KEYS_CHANGED = "server.keys_changed", "server's keys changed"
    SERVER_REMOVED = "server.removed", "server removed"
    WEBHOOK_CHANGED = "webhook.changed", "webhook changed"
    CHALLENGE_CREATED = "challenge.created", "challenge created"
    CHALLENGE_CHANGED = "challenge.changed", "challenge changed"
    CHALLENGE_STATE_CHANGED = "challenge.state_changed", "challenge's state changed"
    CHALLENGE_REVIEWED = "challenge.reviewed", "challenge reviewed"
    CHALLENGE_DELETED = "challenge.deleted", "challenge deleted"
    CHALLENGE_ORGANIZER_ADDED = "challenge.organizer_added", "organizer added"
    CHALLENGE_ORGANIZER_REMOVED = "challenge.organizer_removed", "organizer removed"
    CHALLENGE_TEAM_ASKED = "challenge.team_asked", "terms accepted by a team"
    CHALLENGE_TEAM_APPROVED = "challenge.team_approved", "team approved"
    CHALLENGE_TEAM_DISAPPROVED = "challenge.team_disapproved", "approval of a team withdrawn"
    CHALLENGE_CURATOR_ADDED = "challenge.curator_added", "curator added"
    CHALLENGE_CURATOR_REMOVED = "challenge.curator_removed", "curator removed"
    CHALLENGE_JUDGE_ADDED = "challenge.judge_added", "judge added"
    CHALLENGE_JUDGE_REMOVED = "challenge.judge_removed", "judge removed"
    CHALLENGE_ANNOUNCED = "challenge.announced", "announcement published"
    CHALLENGE_ANNOUNCEMENT_REMOVED = "challenge.news_removed", "announcement removed"
    CHALLENGE_POST_HIDDEN = "challenge.post_hidden", "post of the discussion hidden"
    CHALLENGE_POST_SHOWN = "challenge.post_shown", "post of the discussion shown again"
    CHALLENGE_THREAD_CHANGED = "challenge.thread_changed", "thread locked or pinned"
    CORPUS_CREATED = "corpus.created", "corpus created"
    CORPUS_ARTICLES_UPLOADED = "corpus.articles_uploaded", "articles uploaded to a blind corpus"
    CORPUS_DELETED = "corpus.deleted", "corpus deleted"
    CORPUS_FEATURED = "corpus.featured", "corpus featured on the home page"
    CORPUS_NOT_FEATURED = "corpus.not_featured", "corpus no longer featured"
    CURATION_PROJECT_CREATED = "curation.project_created", "curation project created"
    CURATION_PROJECT_CHANGED = "curation.project_changed", "curation project changed"
    CURATION_CURATOR_ADDED = "curation.curator_added", "curator added to a project"
    CURATION_CURATOR_REMOVED = "curation.curator_removed", "curator removed from a project"
    CURATION_ADJUDICATOR_ADDED = "curation.adjudicator_added", "adjudicator added to a project"
    CURATION_HANDED_OVER = "curation.handed_over", "curation handed over"
    CURATION_OUTCOME_DECIDED = "curation.outcome_decided", "outcome of a project decided"
    CURATION_RECORD_WITHDRAWN = "curation.record_withdrawn", "published digital abstract withdrawn"
    DATA_SET_CREATED = "data_set.created", "data set created"
    DATA_SET_PUBLISHED = "data_set.published", "data set published"
    DATA_SET_DECLINED = "data_set.declined", "publication of a data set declined"
    DATA_SET_WITHDRAWN = "data_set.withdrawn", "data set withdrawn"
    TASK_CREATED = "task.created", "task created"
    TASK_CHANGED = "task.changed", "task changed"
    TASK_DELETED = "task.deleted", "task deleted"
    PHASE_CREATED = "phase.created", "phase created"
    PHASE_CHANGED = "phase.changed", "phase changed"
    PHASE_DELETED = "phase.deleted", "phase deleted"
    RUN_MARKED_AS_BASELINE = "run.marked_as_baseline", "run marked as a baseline"
    RUN_DESCRIBED = "run.described", "run described"
    RUN_DESCRIPTION_REMOVED = "run.description_removed", "description of a run removed"
    RUN_UNMARKED_AS_BASELINE = "run.unmarked_as_baseline", "run no longer marked as a baseline"
    GOLD_STORED = "gold.stored", "gold standard stored"
    GOLD_PUBLISHED = "gold.published", "gold standard published"


class AuditEvent(models.Model):
    """One change. The references have no constraints, as the trail outlasts what it is about."""

    at = models.DateTimeField(db_default=Now())
    # Without choices, so that a new action needs no migration.
    action = models.CharField(max_length=32, help_text="an AuditAction")
    # Who did it: None for the site itself and for visitors.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    # Whose account, role or log-in it is about, if it is about a person.
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    # Who may see the event besides administrators: the members of this team, the organizers of this challenge.
    team_id = models.BigIntegerField(null=True)
    challenge_id = models.BigIntegerField(null=True)
    subject = models.CharField(max_length=300, blank=True, help_text="what was changed, by its public name")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["team_id", "-id"], name="audit_of_team"),
            models.Index(fields=["challenge_id", "-id"], name="audit_of_challenge"),
            models.Index(fields=["action", "-id"], name="audit_by_action"),
            models.Index(fields=["person", "-id"], name="audit_of_person"),
        ]

    def __str__(self) -> str:
        return f"{self.action_label}: {self.subject}"

    @property
    def action_label(self) -> str:
        """What happened, in words; the value itself for an action of another version."""
        known = self.action in AuditAction.values
        return str(AuditAction(self.action).label) if known else self.action
