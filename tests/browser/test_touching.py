"""Fingers: what they touch is large enough, and a slip plays no expensive move."""

import pytest

from tests.browser.people import (
    DESKTOP,
    LANDSCAPE,
    PHONE,
    Person,
    TouchingPerson,
    TypingPerson,
    check_fit,
    serious_findings,
)

_PEOPLE = [(Person, DESKTOP, "Click it"), (TouchingPerson, PHONE, "Tap it")]


@pytest.mark.parametrize("look", [PHONE, LANDSCAPE], ids=["portrait", "landscape"])
@pytest.mark.parametrize(
    ("game", "seats", "kinds"),
    [
        ("shakespeare", 2, {"draft", "wager", "recruit", "activate", "quill", "costume", "set"}),
        ("figaro", 3, {"play", "take"}),
    ],
    ids=["shakespeare", "figaro"],
)
def test_everything_that_a_finger_touches_is_large(server, new_page, game, seats, kinds, look):
    """Play until every kind of place has been touched; nothing covers its neighbour."""
    person = TouchingPerson(new_page(**look), 3)
    person.begin(server.address, game, ["person", *["random"] * (seats - 1)], seed=2)
    missing = set(kinds)
    for _ in range(24):
        seen = person.look()
        check_fit(person.page)
        offered = {move.partition(":")[0] for move, _, _ in seen.moves}
        missing -= offered
        if not missing:
            return
        person.play(seen, *person.choose(seen))
    raise AssertionError(f"no such moves have been offered: {missing}")


def test_a_card_and_the_seat_that_gets_it_are_two_taps_on_a_phone(server, new_page):
    """No board has to be opened between them."""
    person = TouchingPerson(new_page(**PHONE))
    page = person.page
    person.begin(server.address, "figaro", ["person", "random", "random"], seed=2)
    seen = person.look()
    number = page.input_value("#number")
    others = ("front1", "front2")
    card, seat = next(
        places
        for move, places, _ in seen.moves
        if places and places[-1] in others and move not in seen.confirm
    )
    page.locator(f"#board .target[data-place='{card}']").tap()
    page.locator(f"#board .summary .target[data-place='{seat}']").tap()
    page.wait_for_function("(was) => document.getElementById('number').value !== was", arg=number)


@pytest.mark.parametrize(("who", "look", "touch"), _PEOPLE, ids=["mouse", "finger"])
def test_a_second_touch_confirms_a_move_that_a_slip_makes_expensive(
    server, new_page, who, look, touch
):
    """Elsewhere the second touch takes the other card instead, or nothing."""
    person = who(new_page(**look))
    page = person.page
    person.begin(server.address, "shakespeare", ["person"])
    seen = person.look()
    (_, (one,), _), (move, (other,), words), *_ = seen.moves
    assert {move for move, _, _ in seen.moves} == set(seen.confirm)
    step = page.locator("#step[role=status]")

    person.press(person._target(one))
    person.press(person._target(other))
    assert step.inner_text() == f"{words}? {touch} again to confirm."
    label = person._target(other).get_attribute("aria-label")
    assert label == f"Confirm: {words}"
    assert serious_findings(page) == []
    person.press(page.locator(".log-panel"))
    assert step.inner_text() == ""
    person.press(person._target(other))
    assert page.input_value("#number") == "0"
    person.press(person._target(other))
    page.wait_for_function("() => document.getElementById('number').value !== '0'")
    assert page.locator("#log li").first.locator(".move-line").get_attribute("title") == move


def test_a_button_and_keys_confirm_too(server, new_page):
    """Escape takes the choice back, and nobody confirms the only move."""
    person = TypingPerson(new_page())
    page = person.page
    person.begin(server.address, "figaro", ["person", "random", "random"], seed=1)
    take = page.locator("#moves .direct button[value=take]")
    seen = person.look()
    while "take" not in seen.confirm:
        person.play(seen, *person.choose(seen))
        seen = person.look()
    number = page.input_value("#number")
    person.press(take)
    assert page.locator("#step").inner_text().endswith("? Press Enter again to confirm.")
    page.keyboard.press("Escape")
    assert page.locator("#step").inner_text() == ""
    person.press(take)
    assert page.input_value("#number") == number
    page.keyboard.press("Enter")
    page.wait_for_function("(was) => document.getElementById('number').value !== was", arg=number)


def test_the_switch_that_turns_confirming_off_is_remembered(server, new_page):
    person = Person(new_page())
    page = person.page
    person.begin(server.address, "shakespeare", ["person"])
    page.get_by_label("Confirm big decisions").uncheck()
    page.reload()
    assert not page.get_by_label("Confirm big decisions").is_checked()
    seen = person.look()
    person.press(person._target(seen.moves[0][1][0]))
    page.wait_for_function("() => document.getElementById('number').value !== '0'")


def test_a_refusal_is_told_in_view(server, new_page):
    """On a low screen the page has scrolled away from its head."""
    person = TouchingPerson(new_page(**LANDSCAPE))
    page = person.page
    page.expected.append("status of 409")
    person.begin(server.address, "figaro", ["person", "random", "random"], seed=1)
    seen = person.look()
    page.evaluate("document.getElementById('number').value = 99")
    person.play(seen, *next(choice for choice in seen.moves if choice[0] not in seen.confirm))
    page.get_by_text("The table has changed since; look, then choose again").wait_for()
    box = page.locator("#message").bounding_box()
    assert 0 <= box["y"] < box["y"] + box["height"] <= LANDSCAPE["viewport"]["height"]
    page.evaluate("htmx.ajax('GET', `${location.pathname}/deviation?number=0`, {swap: 'none'})")
    page.locator("#failed").get_by_text("The table has changed since.").wait_for()
