import { type AppLoadContext, createReadableStreamFromReadable, type EntryContext } from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import { orderedYields } from "~/core/event-loop.server";
import { log } from "~/core/log.server";
import { offerApi } from "~/http/api.server";
import { Nonce } from "~/http/nonce";
import { InlineStyles } from "~/http/page-styles";
import { inlineStyles } from "~/http/page-styles.server";
import { renderPage } from "~/http/render-page.server";
import { RenderYields } from "~/ui/render-batch";
import { api, programs } from "./api-list.server";
import { loggablePath } from "./http/log-request.server";

export { isRestoreUnanswered, start, stop } from "./lifecycle.server";

// Also when development reloads this module.
offerApi(api, programs);

const RENDER_TIMEOUT = 10_000;

export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entry: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const styles = inlineStyles(request, context);
  const page = await renderPage(
    <Nonce.Provider value={context.cspNonce}>
      <InlineStyles.Provider value={styles.textOf}>
        <RenderYields.Provider value={orderedYields()}>
          <RemixServer
            context={entry}
            url={request.url}
            nonce={context.cspNonce}
            abortDelay={RENDER_TIMEOUT}
          />
        </RenderYields.Provider>
      </InlineStyles.Provider>
    </Nonce.Provider>,
    { nonce: context.cspNonce, timeoutMs: RENDER_TIMEOUT + 1000 },
  );
  headers.set("Content-Type", "text/html; charset=utf-8");
  if (styles.cookie && status === 200) headers.append("Set-Cookie", styles.cookie);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  return new Response(createReadableStreamFromReadable(page), { headers, status });
}

/** Loader data hold what the page holds, so no cache keeps them either. */
export function handleDataRequest(response: Response): Response {
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
  return response;
}

/** Logs untranslated errors of loaders and actions once; the error page shows no details. */
export function handleError(
  error: unknown,
  { request, context }: { request: Request; context: AppLoadContext },
): void {
  if (request.signal.aborted) return;
  log.error("unexpected error on a screen", {
    error,
    requestId: context.requestId,
    path: loggablePath(new URL(request.url).pathname),
  });
}
