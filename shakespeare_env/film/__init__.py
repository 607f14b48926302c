"""A recorded game as a page: the board move by move, the log, graphs; no server, no network."""

from shakespeare_env.film.judgement import Forecasts, Judged
from shakespeare_env.film.page import default_title, film_page, framed, page_of, write_film_page
from shakespeare_env.film.strip import Film

__all__ = [
    "Film",
    "Forecasts",
    "Judged",
    "default_title",
    "film_page",
    "framed",
    "page_of",
    "write_film_page",
]
