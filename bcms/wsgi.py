"""The WSGI application, with the garbage collector tuned for long article pages."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
application = get_wsgi_application()
# Loads every view, so that the first request does not wait for it, and processes that are forked share the memory.
get_resolver().url_patterns  # noqa: B018
# With the default thresholds the collector would scan a long article's 20,000 annotations thirty times while they are
# created, and all objects made at start-up with them: 400 ms of CPU instead of 260 (tests/benchmarks/article_page.py).
gc.freeze()
gc.set_threshold(100_000, 20, 20)
