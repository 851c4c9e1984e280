/**
 * A `fetch` that asks once for routes that are asked for already. Remix looks for the routes of all links after each
 * change of the page until the first answer is here, and again for the page's own address when it loads its data.
 */
export function sharedDiscovery(ask: typeof fetch): typeof fetch {
  const open = new Map<string, Promise<Response>>();
  return async (input, init) => {
    if (!(input instanceof URL) || input.pathname !== "/__manifest") return ask(input, init);
    const paths = input.searchParams.getAll("p");
    for (const [href, response] of open) {
      const asked = new Set(new URL(href).searchParams.getAll("p"));
      if (paths.every((path) => asked.has(path))) return (await response).clone();
    }
    // Requests of a navigation end with it.
    if (init?.signal) return ask(input, init);
    const response = ask(input, init);
    open.set(input.href, response);
    // Until the body is here: Remix knows the routes after that.
    response
      .then((got) => got.clone().arrayBuffer())
      .catch(() => undefined)
      .finally(() => open.delete(input.href));
    return (await response).clone();
  };
}
