"""What a token permits: its owner selects that when creating it, and it never permits more than the owner may do."""

from django.db import models


class Scope(models.TextChoices):
    READ = "read", "read what you can see; every token may"
    SERVERS = (
        "servers",
        "register, change, remove, start, stop, load and test the servers of your teams, and enter them in challenges",
    )
    RUNS = (
        "runs",
        "upload, tag and withdraw runs of your teams, accept terms of challenges for them, and write in discussions",
    )
    DATA = "data", "make, update, publish and withdraw data sets, and enter them on leaderboards"
    MANUSCRIPTS = "manuscripts", "submit, change, publish and withdraw manuscripts of your journal"
    CURATE = "curate", "curate articles, run curation projects, and label and judge where organizers appointed you"
    ORGANIZE = "organize", "organize challenges, and upload articles"
    ANNOTATE = (
        "annotate",
        "have texts of yours annotated, and let a language model have articles annotated by all servers "
        "(bcms mcp --allow-annotation)",
    )


# The scopes to choose from; every token also has READ.
SELECTABLE_SCOPES = tuple(scope for scope in Scope if scope != Scope.READ)
