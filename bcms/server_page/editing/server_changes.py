"""Store changes of a server's registration, by page and by REST."""

from django.db import transaction

from evaluation.runs.names import rename_runs_of_unpublished_phases
from servers.registry.forms import ServerForm


@transaction.atomic
def store_server_changes_renaming_unpublished_runs(form: ServerForm) -> None:
    """Store a valid form. A new name also applies to the server's results, and to its runs that are not published."""
    form.store()
    if "name" in form.changed_data:
        rename_runs_of_unpublished_phases(form.instance, form.cleaned_data["name"])
