import { describeActionFailure } from "./action-failures";
import { markReachable, retryHeld, waitForRetry } from "./connection";
import { problemDetail } from "./problem-detail";
import { showToast } from "./toast-store";

const isData = (input: RequestInfo | URL): input is URL =>
  input instanceof URL && input.pathname.endsWith(".data");

/** Pages aren't streamed, so a body that the connection cut off fails here and not in the page's error boundary. */
async function readWhole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** Not from Remix, such as a proxy's error page: Remix couldn't decode it and would replace the page by an error. */
const isForeign = ({ status, headers }: Response, from: number) =>
  status >= from && !headers.has("x-remix-response");

/** Action data `null`, as Remix encodes it: the page keeps what was typed. */
const NO_ACTION_DATA = '[{"_1":-5},"data"]\n';

async function showRefusedAction(url: URL, body: unknown, response: Response): Promise<Response> {
  const form = body instanceof URLSearchParams || body instanceof FormData ? body : new URLSearchParams();
  const path = url.pathname.replace(/\.data$/, "");
  const intent = String(form.get("intent") ?? "submit");
  showToast(describeActionFailure(path, intent, await problemDetail(response)));
  return new Response(NO_ACTION_DATA, {
    status: response.status,
    headers: { "content-type": "text/x-script" },
  });
}

/**
 * Holds requests that fail for the network or at a proxy, keeping the page until a retry or a newer request. An action
 * that a proxy answered ends with a message.
 */
export function holdRequests(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (!isData(input)) return send(input, init);
    const isSafe = (init?.method ?? "GET") === "GET";
    for (;;) {
      try {
        const response = await readWhole(await send(input, init));
        if (isSafe && isForeign(response, 500)) {
          await waitForRetry(isSafe, init?.signal);
          continue;
        }
        markReachable();
        return isSafe || !isForeign(response, 400)
          ? response
          : await showRefusedAction(input, init?.body, response);
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
