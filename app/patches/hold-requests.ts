import { withBase, withoutBase } from "~/core/base-path";
import { markReachable, noteRedirect, retrySafe, waitForRetry } from "~/ui/connection";
import { describeFailure, failureOf, problemDetail } from "~/ui/failures";
import { showToast } from "~/ui/toast-store";

const isData = (input: RequestInfo | URL): input is URL =>
  input instanceof URL && input.pathname.endsWith(".data");

/**
 * From a proxy, or from the console while it restarts: Remix marks its own responses. It couldn't decode others and would
 * replace the page by an error.
 */
const isForeign = ({ status, headers }: Response, from: number) =>
  status >= from && !headers.has("x-remix-response");

/**
 * The whole response: pages aren't streamed, so a body that the connection cut off fails here and not in the page's
 * error boundary. Interrupted within its body, Remix would log a decoding error and leave two promises rejected.
 * @returns undefined if the server couldn't be reached
 */
async function sendWhole(send: () => Promise<Response>): Promise<Response | undefined> {
  try {
    const response = await send();
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(await response.arrayBuffer(), { status, statusText, headers });
  } catch (error) {
    // `fetch` throws a TypeError for network failures only.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Action data `null`, as Remix encodes it: the page keeps what was typed. */
const NO_ACTION_DATA = '[{"_1":-5},"data"]\n';

async function showRefusedAction(url: URL, body: unknown, response: Response): Promise<Response> {
  const form = body instanceof URLSearchParams || body instanceof FormData ? body : new URLSearchParams();
  const path = withoutBase(url.pathname.replace(/\.data$/, ""));
  const intent = String(form.get("intent") ?? "submit");
  const failure = failureOf(path, intent);
  const description = describeFailure(failure, await problemDetail(response));
  showToast({ kind: "error", title: failure.title, description });
  return new Response(NO_ACTION_DATA, {
    status: response.status,
    headers: { "content-type": "text/x-script" },
  });
}

/**
 * The dashboard's data below the base path: Remix asks for them beside it, as in `/ai.data`, where a proxy sends requests
 * elsewhere and a browser sends no cookie. React Router 7 asks below it.
 */
const belowBase = (url: URL): URL =>
  url.pathname === withBase(".data") ? new URL(withBase("/_root.data") + url.search, url) : url;

/** @param send the browser's own `fetch` */
export function holdRequests(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (!isData(input)) return send(input, init);
    const isSafe = (init?.method ?? "GET") === "GET";
    for (;;) {
      const response = await sendWhole(() => send(belowBase(input), init));
      if (response && !(isSafe && isForeign(response, 500))) {
        markReachable();
        noteRedirect(response.headers.get("location"));
        return isSafe || !isForeign(response, 400)
          ? response
          : showRefusedAction(input, init?.body, response);
      }
      await waitForRetry(isSafe, init?.signal);
    }
  };
}

/**
 * Holds the router's requests that fail for the network or at a proxy, keeping the page until a retry or a newer request.
 * An action that a proxy answered ends with a message. Else Remix replaces the page, with all that was typed, by its error.
 * The documented way, a client loader in each route, makes a request for each route of a page in place of one.
 *
 * Shown by frame.javascript.spec, "the page and its input stay, and Retry continues", and approvals.spec, "a page whose
 * reload a crash cut off goes on by itself". Goes once framework mode takes a `fetch` or a data strategy.
 */
export function holdRouterRequests(): void {
  window.fetch = holdRequests(window.fetch.bind(window));
  window.addEventListener("online", retrySafe);
}
