import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { parseHTML } from "linkedom";
import type { ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from "react-router-dom/server";

interface Around {
  /** The address, such as one that opens a dialog. */
  at?: string;
  /** What the page's loader returned. */
  data?: unknown;
  /** What its action returned. */
  result?: unknown;
}

export interface Rendered {
  document: Document;
  /** The visible text, its spaces as one each. */
  text: string;
}

/** Renders a part of a page, or a page, as the server does: with the router around it and all code loaded. */
export async function rendered(
  part: ReactNode,
  { at = "/", data = null, result }: Around = {},
): Promise<Rendered> {
  const { query, dataRoutes } = createStaticHandler([
    { id: "page", path: "*", element: part, loader: () => data as object },
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
