/**
 * A `fetch` that resolves when a screen's data are complete. An interrupted load then ends with an AbortError, which the
 * router ignores; interrupted within its body, Remix would log a decoding error. Screens don't stream their data, so
 * nothing waits longer.
 */
export function wholeLoads(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, init);
    if (!isLoad(input, init) || !response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(await response.arrayBuffer(), { status, statusText, headers });
  };
}

/** Remix loads a screen's data from URLs that end in `.data`. */
function isLoad(input: RequestInfo | URL, init: RequestInit | undefined): boolean {
  return input instanceof URL && input.pathname.endsWith(".data") && (init?.method ?? "GET") === "GET";
}
