"""A recorded game as a page: the board move by move, the log, graphs; no server, no network."""

from shakespeare_env.film.judgement import Forecasts, Mistake
from shakespeare_env.film.page import default_title, film_page, framed, page_of, write_film_page
from shakespeare_env.film.strip import Film

__all__ = [
    "Film",
    "Forecasts",
    "Mistake",
    "default_title",
    "film_page",
    "framed",
    "page_of",
    "write_film_page",
]
