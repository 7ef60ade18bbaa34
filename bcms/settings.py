"""Settings of the site. What differs between deployments comes from the environment, or from files that it names; an
invalid value stops the start.

DATABASE_URL and REDIS_URL are required; `make demo` and `make test` set them to services that they start.
"""

from ipaddress import ip_network
from pathlib import Path

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from jinja2 import StrictUndefined
from whitenoise.compress import Compressor

from annotations.nanopublications.key_file import read_optional_signing_key
from bcms.accounts.providers.configuration import parse_login_providers
from bcms.api.enum_names import ENUM_NAMES
from bcms.celery_schedule import CELERY_BEAT_SCHEDULE as CELERY_BEAT_SCHEDULE
from bcms.error_reporting import start_error_reporting
from bcms.lib import sealing
from bcms.log_configuration import build_logging_settings
from bcms.mail.mail_url import parse_mail_url, validate_and_return_sender_address
from bcms.setting_files import SettingEnv
from evaluation.gold.sealing import parse_optional_private_key, parse_optional_public_key

# Lets classes of Django take type parameters at run time, as their type hints have them.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
env = SettingEnv()

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = env.str("SECRET_KEY")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SITE_URL = env.str("SITE_URL", "http://127.0.0.1:8000")

INSTALLED_APPS = [
    # First, so that its command createsuperuser replaces Django's.
    "bcms.apps.BcmsConfig",
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "annotations",
    "servers",
    "evaluation",
]
MIDDLEWARE = [
    # Outermost: nothing else reads the cookies of requests for the widget.
    "bcms.middleware.widget_visitors.WidgetVisitorMiddleware",
    "bcms.middleware.request_ids.RequestIdMiddleware",
    "bcms.middleware.request_metrics.RequestMetricsMiddleware",
    "bcms.middleware.database_waits.DatabaseWaitMiddleware",
    "bcms.middleware.streamed_transactions.StreamedTransactionMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "bcms.middleware.cors.OpenReadingMiddleware",
    # Outside of the middleware that sets the session's cookie, which it looks at.
    "bcms.middleware.private_responses.PrivateResponseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "bcms.middleware.body_limits.BodyLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "bcms.middleware.content_security_policy.ContentSecurityPolicyMiddleware",
    "bcms.middleware.page_limits.DownloadLimitMiddleware",
    "bcms.middleware.query_parameters.QueryParameterMiddleware",
    "bcms.middleware.unstorable_input.UnstorableInputMiddleware",
    "bcms.middleware.deleted_rows.DeletedRowMiddleware",
    "bcms.middleware.visitor_pages.VisitorPageMiddleware",
    "bcms.middleware.replica.ReplicaMiddleware",
]
ROOT_URLCONF = "bcms.urls"
WSGI_APPLICATION = "bcms.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "bcms.accounts.header_links.add_header_links",
                "bcms.accounts.providers.login_buttons.add_login_providers",
                "bcms.about.site_notes.add_site_notes",
            ],
        },
    },
    # Compiled, for what is rendered hundreds of times on a page: rows of long lists, and fields of forms.
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined},
    },
]
FORM_RENDERER = "django.forms.renderers.Jinja2"

DATABASES = {"default": env.db("DATABASE_URL")}
# A replica of it answers what may be read there (bcms/middleware/replica.py), if one is named.
if env.str("DATABASE_REPLICA_URL", ""):
    DATABASES["replica"] = env.db("DATABASE_REPLICA_URL")
for _database in DATABASES.values():
    _database |= {"ENGINE": "bcms.database", "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    _database["PASSWORD"] = _database["PASSWORD"] or env.str("POSTGRES_PASSWORD", "")
    # PostgreSQL expects suggestions of entries to take long, and would compile what runs for some milliseconds only.
    _database["OPTIONS"] = {"options": "-c jit=off", **_database.get("OPTIONS", {})}
# Whether DATABASE_URL leads to a pooler that gives a connection for each transaction, such as PgBouncer.
DATABASES["default"]["POOLED"] = env.bool("DATABASE_POOLED", False)
# For how long a page waits for a reply of the database, in seconds (bcms/database/reply_limits.py).
DATABASE_SECONDS = env.float("DATABASE_SECONDS", 4.0)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = env.str("REDIS_URL")
# Holds counts for rate limits only, so losing it does no harm.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL, "KEY_PREFIX": "cache"}
}

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Where `collectstatic` puts the files, with a hash of their content in their names, so that browsers may keep them; if
# unset, they are served from STATICFILES_DIRS and the apps.
STATIC_ROOT = env.str("STATIC_ROOT", "") or None
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
# Source maps, which only developers' tools ask for, would take half of the time that `collectstatic` needs.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
HASHED_STATIC_FILES = "whitenoise.storage.CompressedManifestStaticFilesStorage"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": HASHED_STATIC_FILES if STATIC_ROOT else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "bcms.accounts.adapters.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "bcms.accounts.forms.LoginForm",
    "signup": "bcms.accounts.forms.SignupForm",
    "add_email": "bcms.accounts.forms.AddEmailForm",
    "reset_password": "bcms.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "bcms.accounts.forms.ResetPasswordKeyForm",
    "set_password": "bcms.accounts.forms.SetPasswordForm",
    "change_password": "bcms.accounts.forms.ChangePasswordForm",
    "reauthenticate": "bcms.accounts.forms.ReauthenticateForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_USERNAME_VALIDATORS = "bcms.accounts.user_names.CHARACTER_VALIDATORS"
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[BCMS] "
# High enough for people, low enough to stop abusive programs; allauth has defaults for its own actions.
ACCOUNT_RATE_LIMITS = {
    "invite": "20/h/user",
    "create_team": "10/h/user",
    # Texts that somebody pastes to have them annotated (bcms/pasted_texts/submission.py).
    "paste_text": "20/h/user",
    # Log-ins that begin at a provider (bcms/accounts/providers/views.py).
    "log_in_by_provider": "20/m/ip",
    # Requests for articles that are not stored yet (bcms/article_requests/views.py).
    "fetch_article": "10/m/ip",
    "fetch_article_hourly": "100/h/ip",
    # Articles for which a visitor has servers called (bcms/article_requests/annotation_start.py).
    "start_annotation": "30/m/ip",
    "start_annotation_hourly": "300/h/ip",
    # Articles that wait for stopped and unreachable servers; in MISSED_ARTICLES_DAYS one visitor cannot fill their
    # queues.
    "await_stopped_servers": "200/d/ip",
}
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
# An address is a way to log in, as a new password is sent to it: who finds an open session must not add theirs.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_SESSION_REMEMBER = True
MFA_ADAPTER = "bcms.accounts.adapters.MFAAdapter"
MFA_FORMS = {
    "activate_totp": "bcms.accounts.forms.ActivateSecondFactorForm",
    "authenticate": "bcms.accounts.forms.SecondFactorForm",
    "reauthenticate": "bcms.accounts.forms.SecondFactorAgainForm",
    "add_webauthn": "bcms.accounts.passkeys.forms.AddPasskeyForm",
    "edit_webauthn": "bcms.accounts.passkeys.forms.RenamePasskeyForm",
    "login_webauthn": "bcms.accounts.passkeys.forms.LoginByPasskeyForm",
    "authenticate_webauthn": "bcms.accounts.passkeys.forms.SecondFactorByPasskeyForm",
    "reauthenticate_webauthn": "bcms.accounts.passkeys.forms.PasskeyAgainForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "BCMS"
# Accept codes of the previous and the next 30 seconds, for clocks that are slightly wrong.
MFA_TOTP_TOLERANCE = 1
# People with a second factor may add the address at which another team invited them.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Sites by which people can log in, as JSON (bcms/accounts/providers/configuration.py).
LOGIN_PROVIDERS = parse_login_providers(env.str("LOGIN_PROVIDERS", ""))
SOCIALACCOUNT_ADAPTER = "bcms.accounts.providers.adapter.ProviderAdapter"
SOCIALACCOUNT_FORMS = {"signup": "bcms.accounts.providers.forms.ProviderSignupForm"}
# Nobody gets an account without the form, nobody into an account by an address, and no token of a provider is kept.
SOCIALACCOUNT_AUTO_SIGNUP = SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_STORE_TOKENS = False
HTTPS_ONLY = env.bool("HTTPS_ONLY", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS_ONLY
# Asked for by monitoring within the network of the site, past the proxy.
SECURE_REDIRECT_EXEMPT = [r"^(?:healthz|readyz|metrics)$"]
BEHIND_PROXY = env.bool("BEHIND_PROXY", False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
# Rate limits count client addresses; behind a proxy the address is in X-Forwarded-For.
ALLAUTH_TRUSTED_PROXY_COUNT = int(BEHIND_PROXY)
# For how long browsers remember that the site speaks HTTPS only; 0 means that they do not.
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", 3600 if HTTPS_ONLY else 0)
# Neighbours of the site in its domain decide for themselves about HTTPS (W005, W021). Without HTTPS_ONLY, bcms.W008
# warns if the site is public, and Django's four warnings of the same are silent.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if not HTTPS_ONLY:
    SILENCED_SYSTEM_CHECKS += [f"security.{name}" for name in ("W004", "W008", "W012", "W016")]

# All mail goes through the outbox (bcms/mail/); a worker delivers it to EMAIL_URL.
EMAIL_BACKEND = "bcms.mail.backends.OutboxBackend"
MAIL_DELIVERY = parse_mail_url(env.str("EMAIL_URL", "smtp://localhost:25"))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = validate_and_return_sender_address(
    env.str("DEFAULT_FROM_EMAIL", "BCMS <bcms@localhost>")
)

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "bcms.api.schema.BcmsSchema",
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    # The first class sets the WWW-Authenticate header of a 401, which tells a client how to log in.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "bcms.api.authentication.PasswordAuthentication",
        "bcms.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "bcms.lib.rest.parsers.BoundedJSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
    "PAGE_SIZE": 50,
    "EXCEPTION_HANDLER": "bcms.lib.rest.problems.build_problem_response",
    "DEFAULT_THROTTLE_CLASSES": ["bcms.lib.rest.limits.RequestLimit"],
}
# Limits of the API (bcms/lib/rest/limits.py): requests per minute for an anonymous address and for an account; large
# files per minute for each caller, and at once for all callers together, since each keeps a process of the site busy.
API_PER_MINUTE_ADDRESS = env.int("API_PER_MINUTE_ADDRESS", 300)
API_PER_MINUTE_ACCOUNT = env.int("API_PER_MINUTE_ACCOUNT", 1200)
API_FILES_PER_MINUTE = env.int("API_FILES_PER_MINUTE", 10)
API_FILES_AT_ONCE = env.int("API_FILES_AT_ONCE", 4)
SPECTACULAR_SETTINGS = {
    "TITLE": "BioCreative Meta-Server",
    "DESCRIPTION": "Articles, their annotations by annotation servers, and the evaluation of those annotations.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "bcms.api.schema.document_common_errors",
        "bcms.api.groups.group_operations",
    ],
    "ENUM_NAME_OVERRIDES": ENUM_NAMES,
}

# The broker only wakes workers; the database holds the state. Messages are acknowledged early and have no ETA, and a
# lost message only delays its work until the next sweep.
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A worker takes only tasks that it has a free thread for; prefetched tasks would wait while other workers are idle.
CELERY_WORKER_DISABLE_PREFETCH = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_DEFAULT_QUEUE = "work"
# Tasks that need the private key of sealed gold standards run on their own worker, the only one that has the key. All
# requests to annotation servers are made by the asking workers, which alone have the key of their credentials and of
# access tokens of Matrix.
QUEUES = {
    "asking": (
        "servers.tasks.run_due_server_calls_unless_busy",
        "servers.tasks.run_probe_unless_server_busy",
        "servers.tasks.run_trial_of_server",
        "servers.tasks.deliver_due_matrix_messages_unless_busy",
    ),
    "scoring": (
        "evaluation.tasks.score_due_runs_after_cleaning_unless_busy",
        "evaluation.tasks.rank_stale_boards_unless_busy",
        "evaluation.tasks.publish_requested_phases_and_tasks_unless_busy",
        "bcms.tasks.process_sealed_corpus_file_unless_busy",
        "bcms.tasks.create_draft_from_archive_unless_busy",
    ),
}
CELERY_TASK_ROUTES = {name: {"queue": queue} for queue, names in QUEUES.items() for name in names}
# One database connection per thread, kept while waiting for a server: opening one costs more than the call.
# bcms/celery.py replaces broken and expired connections.
CELERY_DB_REUSE_MAX = 1000
CELERY_BEAT_SCHEDULE_FILENAME = env.str("BEAT_SCHEDULE_FILE", "celerybeat-schedule")

# Annotation servers must have public addresses, unless their network is listed here (CIDR, comma-separated).
ALLOWED_NETWORKS = env.list("ALLOWED_NETWORKS", default=[])
# From where /metrics may be read (CIDR, comma-separated), not through a proxy.
METRICS_NETWORKS = [ip_network(network) for network in env.list("METRICS_NETWORKS", default=["127.0.0.0/8", "::1/128"])]
# How long a worker's lease on a server lasts without renewal; a live worker renews it every quarter of this time.
LEASE_SECONDS = env.int("LEASE_SECONDS", 20)
# The total number of threads of all workers of the queue "asking", which is how many servers can be called at once
# (servers/calls/leases/fairness.py).
ASKING_SLOTS = env.int("ASKING_SLOTS", 200)
# The threads of all web processes, and the processes of all workers of the queues "work" and "scoring": with
# ASKING_SLOTS, the number of connections to the database that the site keeps (bcms/checks/database.py).
WEB_SLOTS = env.int("WEB_SLOTS", 16)
# How many connections a pooler keeps for all web processes; 0 without a pooler.
POOL_SLOTS = env.int("POOL_SLOTS", 0)
WORK_SLOTS = env.int("WORK_SLOTS", 2)
SCORING_SLOTS = env.int("SCORING_SLOTS", 1)
# For how many days after a server was stopped the articles that readers open wait for it.
MISSED_ARTICLES_DAYS = env.int("MISSED_ARTICLES_DAYS", 30)
# For how many days something is kept, 0 for ever (bcms/operations/retention.py): the reply of a live call after its
# result was superseded, attempts of calls, and the requests and answers of these.
REPLY_DAYS = env.int("REPLY_DAYS", 90)
ATTEMPT_DAYS = env.int("ATTEMPT_DAYS", 365)
BODY_DAYS = env.int("BODY_DAYS", 30)
if min(REPLY_DAYS, ATTEMPT_DAYS, BODY_DAYS) < 0:
    raise ImproperlyConfigured("REPLY_DAYS, ATTEMPT_DAYS and BODY_DAYS are numbers of days, or 0 for ever.")
MINUTES_PER_CALL = env.int("MINUTES_PER_CALL", 10)
ENTREZ_URL = env.str("ENTREZ_URL", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/")
ENTREZ_API_KEY = env.str("ENTREZ_API_KEY", "")
# The sites whose pages may show the widget, as in frame-ancestors of a content security policy.
WIDGET_HOSTS = env.list("WIDGET_HOSTS", default=["*"])
# Whom people and NCBI write to.
CONTACT_EMAIL = env.str("CONTACT_EMAIL", "")
OPERATOR = env.str("OPERATOR", "")
SOURCE_URL = env.str("SOURCE_URL", "")
# Pages in place of those of this software.
PRIVACY_URL = env.str("PRIVACY_URL", "")
TERMS_URL = env.str("TERMS_URL", "")
# Keys for sealed test gold standards; only the scoring worker needs the private key (evaluation/gold/sealing.py).
GOLD_PUBLIC_KEY = parse_optional_public_key(env.str("GOLD_PUBLIC_KEY", ""))
GOLD_PRIVATE_KEY = parse_optional_private_key(env.str("GOLD_PRIVATE_KEY", ""))
# Keys for the credentials of calls; only the asking workers need the private key (servers/credentials).
CREDENTIALS_PUBLIC_KEY = sealing.parse_optional_public_key(
    env.str("CREDENTIALS_PUBLIC_KEY", ""), "CREDENTIALS_PUBLIC_KEY", "make_credentials_key"
)
CREDENTIALS_PRIVATE_KEY = sealing.parse_optional_private_key(
    env.str("CREDENTIALS_PRIVATE_KEY", ""), "CREDENTIALS_PRIVATE_KEY", "make_credentials_key"
)
# The file with the key that signs nanopublications (annotations/nanopublications).
NANOPUB_KEY = read_optional_signing_key(env.str("NANOPUB_KEY_FILE", ""))
# Where `manage.py publish_nanopublications` sends them; "" for nowhere, because they cannot be taken back.
NANOPUB_SERVER = env.str("NANOPUB_SERVER", "")
# The licence of published digital abstracts: CC-BY-4.0 or CC0-1.0.
CURATIONS_LICENCE = env.str("CURATIONS_LICENCE", "CC-BY-4.0")
# Whether to look up identifiers at outside registries, and after how many days to look up known ones again.
ASK_REGISTRIES = env.bool("ASK_REGISTRIES", True)
REGISTRY_DAYS = env.int("REGISTRY_DAYS", 90)
UNIPROT_URL = env.str("UNIPROT_URL", "https://rest.uniprot.org/")
PSI_MI_URL = env.str("PSI_MI_URL", "https://raw.githubusercontent.com/HUPO-PSI/psi-mi-CV/master/psi-mi.obo")

LOGGING = build_logging_settings(env.str("LOG_LEVEL", "INFO"), env.str("LOG_FORM", "text"))
start_error_reporting(env.str("SENTRY_DSN", ""))
