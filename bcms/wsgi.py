import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
application = get_wsgi_application()
# A long article is 20,000 annotations, which the collector would look through thirty times while they are made, and
# all that was made at the start with them: 400 ms of CPU instead of 260 (tests/benchmarks/article_page.py).
gc.freeze()
gc.set_threshold(100_000, 20, 20)
