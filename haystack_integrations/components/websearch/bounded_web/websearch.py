"""The bounded lookup as a Haystack web search component."""

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import Secret, deserialize_secrets_inplace

from bounded_web_tool import FallbackPolicy, HttpTransport, Receipt, bounded_web_lookup, bounded_web_lookup_sync

ProviderSpec = str | dict[str, Any]
OUTPUTS = {"documents": list[Document], "links": list[str], "receipt": dict[str, Any]}


@component
class BoundedWebSearch:
    """Searches the web by one provider and at most one fallback, within one deadline.

    A search that fails, is refused or finds nothing useful gives no documents; ``receipt`` says which it was. Only a
    wrong configuration raises: in ``__init__``, or in ``warm_up`` when a key or a provider is missing.

    ```python
    from haystack_integrations.components.websearch.bounded_web import BoundedWebSearch

    search = BoundedWebSearch("searxng", base_url="http://127.0.0.1:8888", policy={"budget_ms": 3000})
    found = search.run("haystack pipelines")
    ```
    """

    def __init__(
        self,
        provider: ProviderSpec,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        fallback: ProviderSpec | None = None,
        fallback_base_url: str | None = None,
        fallback_api_key: Secret | None = None,
        top_k: int = 10,
        policy: dict[str, Any] | None = None,
    ) -> None:
        """
        :param provider: The name of a shipped provider spec, the path of a TOML file, or a dict of the same shape.
        :param base_url: Replaces everything before the spec's own path.
        :param api_key: The provider's key; without one, the environment variable that the spec names is read.
        :param fallback: Asked once when the provider fails or has nothing useful; the same kinds of value.
        :param fallback_base_url: As ``base_url``.
        :param fallback_api_key: As ``api_key``.
        :param top_k: The most documents of one run.
        :param policy: Keyword arguments of ``bounded_web_tool.FallbackPolicy``, such as ``budget_ms``.
        """
        self.provider = provider
        self.base_url = base_url
        self.api_key = api_key
        self.fallback = fallback
        self.fallback_base_url = fallback_base_url
        self.fallback_api_key = fallback_api_key
        self.top_k = top_k
        self.policy = dict(policy or {})
        self._policy_for(top_k)  # a wrong value is refused now
        self._transports: tuple[HttpTransport, HttpTransport | None] | None = None

    def warm_up(self) -> None:
        """Reads the provider specs and resolves the keys, once."""
        if self._transports is None:
            primary = _transport(self.provider, self.base_url, self.api_key)
            fallback = None
            if self.fallback is not None:
                fallback = _transport(self.fallback, self.fallback_base_url, self.fallback_api_key)
            self._transports = primary, fallback

    @component.output_types(**OUTPUTS)
    def run(self, query: str, top_k: int | None = None) -> dict[str, Any]:
        """
        Searches.

        :param query: What to search for.
        :param top_k: Replaces the ``top_k`` of the component for this run.
        :returns: ``documents`` (content: the snippet; meta: title and url), ``links``, and ``receipt``.
        """
        primary, fallback = self._warm()
        policy = self._policy_for(self.top_k if top_k is None else top_k)
        return _outputs(bounded_web_lookup_sync(query, primary, fallback, policy=policy))

    @component.output_types(**OUTPUTS)
    async def run_async(self, query: str, top_k: int | None = None) -> dict[str, Any]:
        """
        Searches without blocking the event loop; cancelling the task cuts the transfer.

        :param query: What to search for.
        :param top_k: Replaces the ``top_k`` of the component for this run.
        :returns: ``documents`` (content: the snippet; meta: title and url), ``links``, and ``receipt``.
        """
        primary, fallback = self._warm()
        policy = self._policy_for(self.top_k if top_k is None else top_k)
        return _outputs(await bounded_web_lookup(query, primary, fallback, policy=policy))

    def to_dict(self) -> dict[str, Any]:
        """For ``Pipeline.dumps``; keys are kept as the names of their environment variables."""
        return default_to_dict(
            self,
            provider=self.provider,
            base_url=self.base_url,
            api_key=self.api_key.to_dict() if self.api_key else None,
            fallback=self.fallback,
            fallback_base_url=self.fallback_base_url,
            fallback_api_key=self.fallback_api_key.to_dict() if self.fallback_api_key else None,
            top_k=self.top_k,
            policy=self.policy,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "BoundedWebSearch":
        """The counterpart of ``to_dict``."""
        given = dict(data.get("init_parameters", {}))
        deserialize_secrets_inplace(given, keys=["api_key", "fallback_api_key"])
        return default_from_dict(cls, {**data, "init_parameters": given})

    def _warm(self) -> tuple[HttpTransport, HttpTransport | None]:
        if self._transports is None:
            self.warm_up()
        assert self._transports is not None
        return self._transports

    def _policy_for(self, top_k: int) -> FallbackPolicy:
        """The policy with as many results as ``top_k`` asks for, unless it says fewer itself."""
        if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 1:
            raise ValueError("top_k must be an integer >= 1")
        policy = FallbackPolicy(**self.policy)
        if "max_results" in self.policy and policy.max_results <= top_k:
            return policy
        return FallbackPolicy(**{**self.policy, "max_results": top_k})


def _transport(spec: ProviderSpec, base_url: str | None, api_key: Secret | None) -> HttpTransport:
    return HttpTransport(spec, base_url=base_url, api_key=api_key.resolve_value() if api_key else None)


def _outputs(receipt: Receipt) -> dict[str, Any]:
    # Only title and url: the id of a document is made of its content and meta and must not change from run to run.
    documents = [Document(content=hit.snippet, meta={"title": hit.title, "url": hit.url}) for hit in receipt.results]
    return {"documents": documents, "links": [hit.url for hit in receipt.results], "receipt": receipt.to_dict()}
