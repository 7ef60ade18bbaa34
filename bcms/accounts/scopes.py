"""What a token opens: its owner ticks that when it is made, and it never opens more than the owner may do."""

from django.db import models


class Scope(models.TextChoices):
    READ = "read", "read what you see: every token does"
    SERVERS = "servers", "register, start, halt, load and try the servers of your teams, and enter them in challenges"
    RUNS = "runs", "upload, tag and withdraw runs of your teams, and accept the terms of challenges for them"
    CURATE = "curate", "label articles and judge passages, where organizers named you"
    ORGANIZE = "organize", "organize challenges, and send in articles"


# Those that are chosen; reading goes with each.
CHOSEN = tuple(scope for scope in Scope if scope != Scope.READ)
EVERY = tuple(Scope)
