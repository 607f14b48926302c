"""x"""
from shakespeare_agents.table.site import Site
def routes(site: Site): return []
