/**
 * A `fetch` that hands a screen's data over when all of it is there. A load that another one breaks off then ends as what
 * it is, an AbortError, which the router passes over; broken off between its head and its end, Remix would log it as data
 * that can't be decoded. Screens don't stream their data, so nothing waits longer for it.
 */
export function wholeLoads(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, init);
    if (!isLoad(input, init) || !response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(await response.arrayBuffer(), { status, statusText, headers });
  };
}

/** Remix asks for a screen's data by a URL that ends so. */
function isLoad(input: RequestInfo | URL, init: RequestInit | undefined): boolean {
  return input instanceof URL && input.pathname.endsWith(".data") && (init?.method ?? "GET") === "GET";
}
