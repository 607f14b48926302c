"""Two people in two browsers, who play a game by invitation, and a third who comes too late."""

import json

from tests.browser.people import DESKTOP, PHONE, Person, TouchingPerson, check_fit, serious_findings
from tests.table.tables import last_wagers

_NOTED = """
window.shown = [];
window.Notification = class {
  static permission = "default";
  static requestPermission() {
    this.permission = "granted";
    return Promise.resolve("granted");
  }
  constructor(title, { body }) { window.shown.push(body); }
  close() {}
};
document.hasFocus = () => false;
"""
"""Lets a page keep its notifications, as if its person looked elsewhere."""


def wager(person, cylinders):
    """Choose a wager on the board; the page then says that it waits, or goes on."""
    seen = person.look()
    move = f"wager:{cylinders}"
    person.play(seen, *next(choice for choice in seen.moves if choice[0] == move))


def test_two_people_play_by_invitation_and_a_third_is_refused(server, new_page):
    """They wager at the same time, are told of their turns, leave, come back and play again."""
    ann = Person(new_page(**DESKTOP), 1)
    bea = TouchingPerson(new_page(**PHONE, color_scheme="dark"), 2)
    bea.page.add_init_script(_NOTED)
    position = last_wagers(2)
    ann.begin(
        server.address,
        "shakespeare",
        ["person", "person"],
        position=json.dumps(position.to_dict()),
        name0="Ann",
    )
    invitation = ann.page.locator("#invitations a").get_attribute("href")
    ann.page.locator("#invitations summary").click()
    assert ann.page.locator("#invitations .code svg").is_visible()
    assert serious_findings(ann.page) == []

    # Bea claims the seat and gives a name; a third person finds it taken, in Bea's name.
    bea.page.goto(invitation)
    check_fit(bea.page)
    assert serious_findings(bea.page) == []
    bea.page.get_by_label("Your name").fill("Bea")
    bea.press(bea.page.get_by_role("button", name="Take the seat"))
    bea.page.wait_for_selector("#turn", state="attached")
    ann.page.wait_for_selector("#invitations", state="hidden")
    assert ann.page.locator("#board", has_text="Bea").count() == 1
    late = new_page()
    late.expected.append("status of 403")
    assert late.goto(invitation).status == 403
    assert "Bea plays here" in late.locator("main").inner_text()

    # Neither waits for the other. Bea chooses first, though the rules ask her later.
    assert position.to_move == 0
    bea.press(bea.page.locator("#alerts"))
    wager(bea, 3)
    bea.page.wait_for_selector("#own-choice")
    assert "Your choice: wager 3 cylinders" in bea.page.locator("#own-choice").inner_text()
    ann.page.wait_for_selector("#have-chosen")
    assert ann.page.locator("#have-chosen").inner_text() == "Bea has chosen in secret."

    # She leaves by the Back button and comes back in a new tab of the same browser.
    bea.page.go_back()
    bea.page.close()
    tab = bea.page.context.new_page()
    tab.expected = []
    tab.add_init_script(f"{_NOTED} Notification.permission = 'granted';")
    tab.goto(server.address)
    tab.get_by_role("link", name="Play as Bea").tap()
    tab.wait_for_selector("#own-choice")
    bea = TouchingPerson(tab, 2)
    wager(ann, 2)

    # They play to the end. Bea's page tells of her turns while she looks elsewhere.
    while not ann.page.locator("#moves table").count():
        for person in (ann, bea):
            while person.decides():
                seen = person.look()
                person.play(seen, *next(filter(is_short, seen.moves), seen.moves[0]))
                wait_for_answer(person)
    bea.page.wait_for_selector("#moves table")
    told = bea.page.evaluate("window.shown")
    assert any(words.startswith("Your turn") for words in told), told

    # A page that hears of the end once more takes it as well as the first time.
    with ann.page.expect_response("**/changes*"):
        ann.page.evaluate("htmx.trigger('#latest', 'changed')")
    assert ann.page.locator("#asking").inner_text() == ""

    # One click begins the rematch; the other page leads to it. The seats have moved on.
    ann.page.get_by_role("button", name="Rematch").click()
    ann.page.wait_for_url("**/seat/*")
    bea.page.wait_for_selector("#rematch-made")
    bea.press(bea.page.locator("#rematch-made"))
    bea.page.wait_for_selector("#turn", state="attached")
    for person, other in ((ann, "Bea"), (bea, "Ann")):
        person.page.wait_for_selector("#moves-title, #sentence", state="attached")
        assert person.page.locator("#invitations").is_hidden()
        assert other in person.page.locator("#board").inner_text()
    assert serious_findings(bea.page) == []


def is_short(choice):
    """Return whether a move brings the end of the game near."""
    return choice[0] in ("pass", "stop")


def wait_for_answer(person):
    """Wait until the page shows what follows the person's move."""
    person.page.wait_for_function(
        "(before) => window.readVersion !== before && window.readVersion === "
        "document.getElementById('version').value",
        arg=person.version,
    )
