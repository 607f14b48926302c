"""Readers of drawings: texts with their places in a picture, lines of a text, colours."""

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
_PLACES = ("part", "place", "card", "piece")
_FONTS = {weight: ImageFont.truetype(str(path), 100) for weight, path in FILES.items()}
_WAYS = {"start": 0.0, "middle": 0.5, "end": 1.0}


@dataclass
class Line:
    """A text of the picture: where it is, from the tops of its letters to below its base line."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    width: float
    room: float | None
    places: tuple[tuple[str, str], ...]


def texts(drawn):
    """Every text with its place, in the order it is drawn."""
    return list(_texts(ElementTree.fromstring(drawn), 0.0, 0.0, 1.0, ()))


def _moved(element, x, y, scale):
    """Where an element's own (0, 0) is, and its scale."""
    transform = element.get("transform", "")
    if moved := re.search(r"translate\((\S+) (\S+)\)", transform):
        x = x + scale * float(moved[1])
        y = y + scale * float(moved[2])
    if scaled := re.search(r"scale\((\S+)\)", transform):
        scale *= float(scaled[1])
    return x, y, scale


def _texts(element, x, y, scale, places):
    x, y, scale = _moved(element, x, y, scale)
    places += tuple(
        (name, element.get(f"data-{name}")) for name in _PLACES if element.get(f"data-{name}")
    )
    if element.tag == f"{SVG}text":
        size = float(element.get("font-size"))
        font = _FONTS[element.get("font-weight", "normal")]
        width = font.getlength(element.text or "") * size / 100
        left = float(element.get("x")) - width * _WAYS[element.get("text-anchor", "start")]
        base = float(element.get("y"))
        room = element.get("data-room")
        yield Line(
            element.text or "",
            x + scale * left,
            x + scale * (left + width),
            y + scale * (base - 0.75 * size),
            y + scale * (base + 0.1 * size),
            width,
            float(room) if room else None,
            places,
        )
    for child in element:
        yield from _texts(child, x, y, scale, places)


def assert_in_place(drawn):
    """All texts keep to the drawing and to their room."""
    _, _, width, height = map(float, ElementTree.fromstring(drawn).attrib["viewBox"].split())
    for line in texts(drawn):
        assert line.left >= -0.5, line
        assert line.right <= width + 0.5, line
        assert line.top >= 0, line
        assert line.bottom <= height, line
        assert line.room is None or line.width <= line.room + 0.5, line


def assert_readable(drawn, sentence):
    """A picture says where the game stands, and all its texts have room and lie on no other."""
    root = ElementTree.fromstring(drawn)
    assert (root.get("width"), root.get("role")) == (str(WIDTH), "img")
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
    """The pieces of a board by name, as pages show them."""
    found = [piece for panel in panels for piece in panel.pieces]
    drawn = {piece.name: piece_svg(piece, f"piece-{piece.name}") for piece in found}
    assert len(drawn) == len(found)
    return drawn


def places_in(drawings):
    """How often each place is in drawings."""
    roots = map(ElementTree.fromstring, drawings)
    return Counter(at for root in roots for one in root.iter() if (at := one.get("data-place")))


def height(drawn):
    """How high a picture is."""
    return ElementTree.fromstring(drawn).attrib["height"]


def words(drawn, part=None):
    """The texts of a part of the picture, or of all of it."""
    return [line.text for line in texts(drawn) if part is None or ("part", part) in line.places]


# How a screen's light looks to colour-blind eyes (Machado, Oliveira and Fernandes 2009).
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


def assert_apart(colours, eye, least):
    """Any two colours look different to an eye."""
    for one, other in combinations([_lab(colour, eye) for colour in colours], 2):
        assert np.linalg.norm(one - other) > least


def _lab(colour, eye):
    """The colour in CIE L*a*b*, where the distance of two tells how different they look."""
    screen = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    light = np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(EYES[eye]) @ light, 0, 1)
    x, y, z = np.cbrt(np.array(TO_XYZ) @ seen / (0.9505, 1, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
