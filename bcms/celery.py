import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")

app = Celery("bcms")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
