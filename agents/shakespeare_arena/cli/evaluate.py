"""`shakespeare evaluate`: how often agents win, and with which scores."""

from __future__ import annotations

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_agents.cli.playing import ResultFile, counted_games, show_result
from shakespeare_env.cli import choices


def evaluate(
    named: lineup_options.AgentNames = None,
    players: lineup_options.Players = None,
    games: lineup_options.Games = 1000,
    seed: lineup_options.Seed = 0,
    out: ResultFile = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    option: choices.Variants = None,
    threads: lineup_options.Threads = 1,
    workers: workers_options.Processes = 1,
    ray: workers_options.Ray = None,
) -> None:
    """Play agents against each other: win rates and scores, with 95 % intervals."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_arena.evaluation import evaluate as play_games
    from shakespeare_arena.games.seating import seat_plan

    game = choices.find_game(game_name)
    entrants = lineup_options.make_entrants(game, named, players)
    variants = choices.variants_at(game, option, len(entrants))
    choices.check_writable(out)
    a_deal = seat_plan(entrants, seed).games
    games = -(-games // a_deal) * a_deal
    with workers_options.chosen(workers, ray) as crew, counted_games(games) as on_progress:
        result = play_games(
            entrants,
            game.name,
            games=games,
            players=len(entrants),
            seed=seed,
            options=variants,
            threads=threads,
            on_progress=on_progress,
            workers=crew,
        )
    show_result(result, out)
