"""``BoundedWebSearch``: a web search that always ends by its deadline and always answers with a receipt."""

from haystack_integrations.components.websearch.bounded_web.websearch import BoundedWebSearch

__all__ = ["BoundedWebSearch"]
