/**
 * Resolves with complete data: an interrupted load ends with an AbortError instead of a logged decoding error. Screens
 * don't stream their data.
 */
export function wholeLoads(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, init);
    if (!isLoad(input, init) || !response.body) return response;
    const { status, statusText, headers } = response;
    return new Response(await response.arrayBuffer(), { status, statusText, headers });
  };
}

/** By Remix's `.data` suffix. */
function isLoad(input: RequestInfo | URL, init: RequestInit | undefined): boolean {
  return input instanceof URL && input.pathname.endsWith(".data") && (init?.method ?? "GET") === "GET";
}
