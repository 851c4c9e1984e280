import { noteReached, retryHeld, waitForRetry } from "./connection";

const isData = (input: RequestInfo | URL): input is URL =>
  input instanceof URL && input.pathname.endsWith(".data");

/**
 * A `fetch` that holds a screen's request when the network fails, instead of failing the screen: the page and its input
 * stay until the request is retried, or replaced by another one.
 */
export function holdRequests(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (!isData(input)) return ask(input, init);
    const isSafe = (init?.method ?? "GET") === "GET";
    for (;;) {
      try {
        const response = await ask(input, init);
        noteReached();
        return response;
      } catch (error) {
        // What `fetch` throws for a network that fails; anything else isn't the network's.
        if (!(error instanceof TypeError)) throw error;
        await waitForRetry(isSafe, init?.signal);
      }
    }
  };
}

/** What changes something is sent again by the person alone. */
export function retryWhenOnline(): void {
  window.addEventListener("online", () => retryHeld(({ isSafe }) => isSafe));
}
