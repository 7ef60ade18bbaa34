"""Drawings read back: points of lines and marks as values of the data, tables as text."""

import re

from lxml import etree

from bcms.lib.svg.plot_sheets import PlotSheet, render_sheet_file

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def parse_svg_root(svg):
    return etree.fromstring(svg.encode(), etree.XMLParser(resolve_entities=False))


def render_sheet_root(*panels):
    """These panels under each other, as the root of their file."""
    return parse_svg_root(render_sheet_file(PlotSheet("Plots", [[panel] for panel in panels])))


def tables(root):
    """Of each table its rows, the head first, as lists of text."""
    found = [group for group in root.iter(f"{SVG}g") if group.get("role") == "table"]
    return [[cells(row) for row in table.iter(f"{SVG}text")] for table in found]


def cells(row):
    return [(cell.text or "").strip() for cell in row.iter(f"{SVG}tspan")]


def figures(root, place=0):
    """{name: figures as numbers, None where there is none} of a table without its head."""
    return {row[0]: [number(cell) for cell in row[1:]] for row in tables(root)[place][1:]}


def number(cell):
    return float(cell.replace(",", "")) if NUMBER.fullmatch(cell.replace(",", "")) else None


def lines(root, frame, kind="line"):
    """The points of every line of the kind that is drawn in a frame, as values."""
    paths = [
        path.get("d")
        for group in root.iter(f"{SVG}g")
        if group.get("role") == "img"
        for path in group.iter(f"{SVG}path")
        if kind in (path.get("class") or "").split()
    ]
    return [[compute_axis_values(*point, frame) for point in pairs(path)] for path in paths]


def pairs(path):
    numbers = [float(found) for found in NUMBER.findall(path)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def marks(root, frame):
    """{name: value} of the marks that stand alone in a group."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        title, paths = group.find(f"{SVG}title"), group.findall(f"{SVG}path")
        if group.get("class") == "series" and len(paths) == 1 and paths[0].get("transform"):
            across, down = pairs(paths[0].get("transform"))[0]
            found[title.text.split("\n")[0]] = compute_axis_values(across, down, frame)
    return found


def compute_axis_values(across, down, frame):
    """What lies at a place of the drawing, on linear axes."""
    x, y = (across - frame.left) / frame.width, 1 - (down - frame.top) / frame.height
    return (frame.x.low + x * (frame.x.high - frame.x.low), frame.y.low + y * (frame.y.high - frame.y.low))
