"""Helpers that read SVG pictures: where their texts are, and how different their colours look."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
from PIL import ImageFont

from shakespeare_env.drawing.board import WIDTH, piece_svg
from shakespeare_env.fonts import FILES

SVG = "{http://www.w3.org/2000/svg}"
_LABELS = ("part", "place", "card", "piece")
"""Names of the `data-` attributes that say what an element shows."""
_FONTS = {weight: ImageFont.truetype(str(path), 100) for weight, path in FILES.items()}
_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""The share of a text's width that lies to the left of its x, by its `text-anchor`."""


@dataclass
class Line:
    """A line of text in a picture.

    Attributes:
        text: The text.
        left: The left edge, in units of the picture, as are the other edges.
        right: The right edge.
        top: The tops of the capitals.
        bottom: A little below the base line.
        width: The width in units of the text's own coordinates.
        room: The width that it may take in these units, if the picture gives one.
        labels: (name, value) of the labels of the elements that hold it.
    """

    text: str
    left: float
    right: float
    top: float
    bottom: float
    width: float
    room: float | None
    labels: tuple[tuple[str, str], ...]


def texts(drawn):
    """Return the lines of text of a picture in the order in which they are drawn."""
    return list(_texts(ElementTree.fromstring(drawn), 0.0, 0.0, 1.0, ()))


def _transformed(element, x, y, scale):
    """Return where an element's own (0, 0) is in the picture, and its scale."""
    transform = element.get("transform", "")
    if moved := re.search(r"translate\((\S+) (\S+)\)", transform):
        x = x + scale * float(moved[1])
        y = y + scale * float(moved[2])
    if scaled := re.search(r"scale\((\S+)\)", transform):
        scale *= float(scaled[1])
    return x, y, scale


def _texts(element, x, y, scale, labels):
    x, y, scale = _transformed(element, x, y, scale)
    labels += tuple(
        (name, element.get(f"data-{name}")) for name in _LABELS if element.get(f"data-{name}")
    )
    if element.tag == f"{SVG}text":
        size = float(element.get("font-size"))
        font = _FONTS[element.get("font-weight", "normal")]
        width = font.getlength(element.text or "") * size / 100
        left = float(element.get("x")) - width * _ANCHORS[element.get("text-anchor", "start")]
        base = float(element.get("y"))
        room = element.get("data-room")
        yield Line(
            text=element.text or "",
            left=x + scale * left,
            right=x + scale * (left + width),
            top=y + scale * (base - 0.75 * size),
            bottom=y + scale * (base + 0.1 * size),
            width=width,
            room=float(room) if room else None,
            labels=labels,
        )
    for child in element:
        yield from _texts(child, x, y, scale, labels)


def assert_in_place(drawn):
    """Assert that all texts lie within the picture and within the room they are given."""
    _, _, width, height = map(float, ElementTree.fromstring(drawn).attrib["viewBox"].split())
    for line in texts(drawn):
        assert line.left >= -0.5, line
        assert line.right <= width + 0.5, line
        assert line.top >= 0, line
        assert line.bottom <= height, line
        assert line.room is None or line.width <= line.room + 0.5, line


def assert_readable(drawn, sentence):
    """Assert that a picture holds a sentence in its head and title, and that no texts overlap."""
    root = ElementTree.fromstring(drawn)
    assert root.get("width") == str(WIDTH)
    assert root.get("role") == "img"
    assert sentence in (root.findtext(f"{SVG}title") or "")
    assert sentence in words(drawn, "head")
    assert_in_place(drawn)
    lines = sorted((line for line in texts(drawn) if line.text), key=lambda line: line.top)
    for number, upper in enumerate(lines):
        for lower in lines[number + 1 :]:
            if lower.top >= upper.bottom:
                break
            assert lower.left >= upper.right or upper.left >= lower.right, (upper, lower)


def pieces(panels):
    """Return the SVG of every piece of a board by its name; assert that names differ."""
    listed = [piece for panel in panels for piece in panel.pieces]
    drawn = {piece.name: piece_svg(piece, f"piece-{piece.name}") for piece in listed}
    assert len(drawn) == len(listed)
    return drawn


def places_in(drawings):
    """Count how often each place is labelled in some pictures."""
    places: Counter[str] = Counter()
    for drawn in drawings:
        for element in ElementTree.fromstring(drawn).iter():
            place = element.get("data-place")
            if place:
                places[place] += 1
    return places


def height(drawn):
    """Return the height of a picture, as it is written there."""
    return ElementTree.fromstring(drawn).attrib["height"]


def words(drawn, part=None):
    """Return the texts of one part of a picture, or of all of it."""
    return [line.text for line in texts(drawn) if part is None or ("part", part) in line.labels]


# What colour-blind eyes see of red, green and blue light (Machado, Oliveira and Fernandes 2009).
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
"""The matrix from linear sRGB to CIE XYZ."""


def assert_apart(colours, eye, least):
    """Assert that any two colours are further apart than `least` in CIE L*a*b* to an eye."""
    for one, other in combinations([_lab(colour, eye) for colour in colours], 2):
        assert np.linalg.norm(one - other) > least


def _lab(colour, eye):
    """Return a colour in CIE L*a*b*, where distances say how different two colours look."""
    screen = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    light = np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(EYES[eye]) @ light, 0, 1)
    x, y, z = np.cbrt(np.array(TO_XYZ) @ seen / (0.9505, 1, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
