"""Advice for later games of Shakespeare, which follows from the consequences of mistakes."""

from __future__ import annotations

from shakespeare_env.shakespeare.box import tables as t

MOST_FOR_OBJECTIVE = int(t.OBJECTIVE_PRESTIGE.max())
"""The most prestige for an objective."""
_FIRST = t.FIRST_REHEARSAL
_LAST = t.N_DAYS
_GREY = t.GREY_SPACES
_ACT_I_PAYS = int(t.ACT_I_POUNDS.nonzero()[0][0])
_ACT_III_PAYS = int(t.ACT_III_PRESTIGE.nonzero()[0][0])
_FIRST_PLACE, _SECOND_PLACE = t.ACT_II_PRESTIGE

ADVICE = {
    # ---- causes ----------------------------------------------------------------------------------
    "cylinders": "Wager more cylinders on days when several of your characters have something "
    "useful to do: each cylinder activates one of them, though the lowest wager goes first.",
    "low wager": "Wager fewer cylinders on days when few characters help you: the lowest wager "
    "chooses first and scores 1 prestige, and fewer characters rest afterwards.",
    "unused cylinders": "Do not pass while you have a cylinder and a character that still brings "
    "something: unused cylinders are lost when the day ends.",
    "activations": "Activate as many useful characters as you can each day, because characters "
    "bring nothing until they are activated: wager for them, and do not pass early.",
    "rest": "Leave a character alone if it brings little today: of the characters that you "
    "activate on a day, all but one have to rest on the next.",
    "characters": "Hire characters face up while days are left to activate them, since an extra "
    "only wears a costume and an assistant only helps craftsmen.",
    "set dressers": "Hire a set dresser early: each activation can fill several spaces of your "
    "stage, and every space with a candle that you fill scores 1 prestige.",
    "costume mistresses": "Hire a costume mistress early and activate her often: three elements "
    "complete a costume, which can pay at once and gives its power at rehearsals.",
    "hired actors": "Hire actors whose quills move your discs where acts pay: the acts are scored "
    f"at both rehearsals, on days {_FIRST} and {_LAST}.",
    "elements": "Activate characters who take elements, such as set dressers, when the display "
    "holds what fits, and take until nothing fits: the rest of their value is lost.",
    "begun costumes": "Complete one costume before you begin another, since only the third element "
    "of a costume pays, and an incomplete one gives no power at rehearsals.",
    "spaces": "Prefer actors who move your discs far and use all their quills, since the acts pay "
    f"on days {_FIRST} and {_LAST} by the spaces that you have reached.",
    "grey spaces": f"Bring the disc on each act past space {_GREY} before the rehearsals on days "
    f"{_FIRST} and {_LAST}: each disc that is still there costs 1 prestige.",
    "pounds": "Earn pounds in time, from the Queen, Act I and pink stage sets: after the last day "
    f"each character that you cannot pay costs {-t.UNPAID} prestige.",
    "wages": "Look at the wage before you hire: after the last day each character that you cannot "
    f"pay costs {-t.UNPAID} prestige, while extras work for nothing.",
    # ---- effects ---------------------------------------------------------------------------------
    "costumes": "Complete costumes: a complete one pays by the value of its elements and gives its "
    "power at rehearsals, while an incomplete one does neither.",
    "stage": "Build your stage towards the spaces with candles, which score 1 prestige each: the "
    "spaces below must be filled first, and both sides must match.",
    "yellow elements": "Take yellow elements whenever a jeweler can place one, since each on your "
    "stage or on a costume scores 1 prestige at the end.",
    "unpaid wages": "Count your wages before the last day and keep that many pounds: each "
    f"character that you cannot pay costs {-t.UNPAID} prestige.",
    "objectives": "Work for your objectives all game, and let the Queen give you one early: each "
    f"scores up to {MOST_FOR_OBJECTIVE} prestige at the end.",
    "first in Order": "Wager fewer cylinders than everybody else on days when you have little to "
    "do: the first in Order scores 1 prestige and chooses first.",
    "mood": "Look after your mood every day: purple stage sets lower it and blue ones raise it, "
    f"and at −{-t.LOWEST_MOOD} you lose 1 prestige.",
    "actors": "Activate an actor whose power itself scores prestige whenever you can, since it "
    "scores again at every activation.",
    "costume powers": "Dress the actors whose costumes have a good power, and do so before day "
    f"{_FIRST}: a complete costume gives its power at both rehearsals.",
    "Act I": f"Bring your disc on Act I past space {_GREY}, where it costs prestige, and to space "
    f"{_ACT_I_PAYS} or further, where it pays pounds at each rehearsal.",
    "Act II": f"Bring your disc on Act II past space {_GREY} before each rehearsal, and to one of "
    f"the two leading places if you can: they score {_FIRST_PLACE} and {_SECOND_PLACE} prestige.",
    "Act III": f"Bring your disc on Act III past space {_GREY}, where it costs prestige, and to "
    f"space {_ACT_III_PAYS} or further, where it scores prestige at each rehearsal.",
}
"""What to do, in one sentence, by the topic of the consequence."""
