"""What axe-core finds on a page."""

from axe_playwright_python.sync_playwright import Axe


def serious_findings(page) -> list[str]:
    """Serious and critical findings, each with where they are."""
    return [
        f"{found['id']} ({found['impact']}): {found['help']}: {node['html'][:200]}"
        for found in Axe().run(page).response["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"][:3]
    ]
