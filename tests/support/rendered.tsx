import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { parseHTML } from "linkedom";
import { type ReactNode, useContext } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { type Navigation, UNSAFE_DataRouterStateContext as RouterState } from "react-router-dom";
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from "react-router-dom/server";

interface Around {
  /** The address, such as one that opens a dialog. */
  at?: string;
  /** What the page's loader returned. */
  data?: unknown;
  /** What its action returned. */
  result?: unknown;
  /** The address that is loading. */
  loading?: string;
  /** The fields of the form that is being sent. */
  sending?: Record<string, string>;
}

export interface Rendered {
  document: Document;
  /** The visible text, its spaces as one each. */
  text: string;
}

/** A navigation that hasn't ended. A server has none, so that its router can't be asked for one. */
function During({ to, fields, part }: { to: string; fields: Around["sending"]; part: ReactNode }) {
  const state = useContext(RouterState);
  const formData = fields && new FormData();
  for (const [name, value] of Object.entries(fields ?? {})) formData?.append(name, value);
  const { pathname, search } = new URL(to, "http://console");
  const location = { pathname, search, hash: "", state: null, key: "next" };
  const navigation = { state: formData ? "submitting" : "loading", location, formData } as Navigation;
  return <RouterState.Provider value={state && { ...state, navigation }}>{part}</RouterState.Provider>;
}

/** Renders a part of a page, or a page, as the server does: with the router around it and all code loaded. */
export async function rendered(
  part: ReactNode,
  { at = "/", data = null, result, loading, sending }: Around = {},
): Promise<Rendered> {
  const isIdle = loading === undefined && sending === undefined;
  const element = isIdle ? part : <During to={loading ?? at} fields={sending} part={part} />;
  const { query, dataRoutes } = createStaticHandler([
    { id: "page", path: "*", element, loader: () => data as object },
  ]);
  const context = await query(new Request(`http://console${at}`));
  if (context instanceof Response) throw new Error("The page redirects.");
  if (result !== undefined) context.actionData = { page: result };
  const router = createStaticRouter(dataRoutes, context);
  const html = await new Promise<string>((resolve, reject) => {
    const { pipe } = renderToPipeableStream(
      <StaticRouterProvider router={router} context={context} hydrate={false} />,
      {
        onAllReady: () => resolve(text(pipe(new PassThrough()))),
        onShellError: reject,
        onError: reject,
      },
    );
  });
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  return { document, text: (document.body.textContent ?? "").replaceAll(/\s+/g, " ") };
}
