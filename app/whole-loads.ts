/**
 * A `fetch` that resolves when the data of a load or an action are complete. If it is interrupted, it ends with an
 * AbortError, which the router ignores; interrupted within its body, Remix would log a decoding error and leave two
 * promises of the decoder rejected. Screens don't stream their data, so nothing waits longer.
 */
export function wholeLoads(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, init);
    if (!isData(input) || !response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(await response.arrayBuffer(), { status, statusText, headers });
  };
}

/** Remix requests a screen's data, and its actions, at URLs that end in `.data`. */
function isData(input: RequestInfo | URL): boolean {
  return input instanceof URL && input.pathname.endsWith(".data");
}
