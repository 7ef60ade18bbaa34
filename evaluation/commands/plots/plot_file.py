"""Plots in one SVG file, each with a table of its figures."""

from bcms.lib.svg.plot_sheets import PlotSheet, render_sheet_file
from evaluation.commands.files.inputs import print_to_stderr
from evaluation.commands.files.outputs import write_output_file_atomically


def write_svg_and_print_plot_count(path: str, sheet: PlotSheet) -> None:
    """Write the file and print its number of plots. UsageError when it cannot be written."""
    write_output_file_atomically(path, render_sheet_file(sheet).encode(), "--plot")
    print_to_stderr([f"{path}: plots: {sum(map(len, sheet.rows))}"])
