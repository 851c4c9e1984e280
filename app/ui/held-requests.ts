import { markReachable, retryHeld, waitForRetry } from "./connection";

const isData = (input: RequestInfo | URL): input is URL =>
  input instanceof URL && input.pathname.endsWith(".data");

/** From a proxy, or from the console while it restarts: Remix marks its own responses. */
const isAway = ({ status, headers }: Response) =>
  status >= 502 && status <= 504 && !headers.has("x-remix-response");

/**
 * The whole response: pages aren't streamed, so a body that the connection cut off fails here and not in the page's
 * error boundary. Interrupted within its body, Remix would log a decoding error and leave two promises rejected.
 * @returns undefined if the server couldn't be reached
 */
async function sendWhole(send: () => Promise<Response>): Promise<Response | undefined> {
  try {
    const response = await send();
    if (isAway(response)) return undefined;
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(await response.arrayBuffer(), { status, statusText, headers });
  } catch (error) {
    // `fetch` throws a TypeError for network failures only.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Holds requests that fail for the network, keeping the page until a retry or a newer request. */
export function holdRequests(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (!isData(input)) return send(input, init);
    const isSafe = (init?.method ?? "GET") === "GET";
    for (;;) {
      const response = await sendWhole(() => send(input, init));
      if (response) {
        markReachable();
        return response;
      }
      await waitForRetry(isSafe, init?.signal);
    }
  };
}

/** Retries safe requests; the user retries the others. */
export const retrySafe = () => retryHeld(({ isSafe }) => isSafe);

export function retryWhenOnline(): void {
  window.addEventListener("online", retrySafe);
}
