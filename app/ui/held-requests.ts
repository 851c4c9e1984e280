import { markReachable, retryHeld, waitForRetry } from "./connection";

const isData = (input: RequestInfo | URL): input is URL =>
  input instanceof URL && input.pathname.endsWith(".data");

/** Pages aren't streamed, so a body that the connection cut off fails here and not in the page's error boundary. */
async function readWhole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** Holds requests that fail for the network, keeping the page until a retry or a newer request. */
export function holdRequests(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (!isData(input)) return send(input, init);
    const isSafe = (init?.method ?? "GET") === "GET";
    for (;;) {
      try {
        const response = await readWhole(await send(input, init));
        markReachable();
        return response;
      } catch (error) {
        // `fetch` throws a TypeError for network failures only.
        if (!(error instanceof TypeError)) throw error;
        await waitForRetry(isSafe, init?.signal);
      }
    }
  };
}

/** Retries safe requests when the connection is back; the user retries the others. */
export function retryWhenOnline(): void {
  window.addEventListener("online", () => retryHeld(({ isSafe }) => isSafe));
}
