"""What a command found as plots in one SVG file, with the same figures as tables beneath."""

from bcms.lib.svg.sheet import Sheet, as_svg
from evaluation.commands.files.inputs import tell
from evaluation.commands.files.outputs import save


def save_plots(path: str, sheet: Sheet) -> None:
    """Write the file and say how many plots it has. UsageError when it cannot be written."""
    save(path, as_svg(sheet).encode(), "--plot")
    tell([f"{path}: plots: {sum(map(len, sheet.rows))}"])
