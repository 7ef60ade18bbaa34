"""What a command found as plots in one SVG file, with the same figures as tables beneath."""

from pathlib import Path

from bcms.lib.svg.sheet import Sheet, as_svg
from evaluation.commands.inputs import tell
from evaluation.commands.refusals import UsageError


def save_plots(path: str, sheet: Sheet) -> None:
    """Write the file whole or not at all. UsageError when it cannot be written."""
    beside = Path(f"{path}.part")
    try:
        beside.write_text(as_svg(sheet), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); choose another --plot.") from None
    tell([f"{path}: plots: {sum(map(len, sheet.rows))}"])
