import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type AppLoadContext, createReadableStreamFromReadable, type EntryContext } from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import { api, programs } from "./api-list.server";
import { orderedYields } from "./core/background.server";
import { withoutBase } from "./core/base-path";
import { log } from "./core/log.server";
import { builtFolder } from "./core/process.server";
import { offerApi } from "./http/api.server";
import type { EdgeContext } from "./http/context.server";
import { cookie, readCookie } from "./http/cookies.server";
import { InlineStyles, Nonce } from "./http/document-head";
import { loggablePath } from "./http/express.server";
import { renderPage } from "./http/render-page.server";
import { RenderYields } from "./ui/render-batch";

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
    path: loggablePath(withoutBase(new URL(request.url).pathname)),
  });
}

const COOKIE = "qd_styles";
const YEAR_SECONDS = 31_536_000;

const texts = new Map<string, string | undefined>();

function readText(href: string): string | undefined {
  if (!texts.has(href)) {
    const file = builtFolder && join(builtFolder, "client", href);
    texts.set(href, file && existsSync(file) ? readFileSync(file, "utf8") : undefined);
  }
  return texts.get(href);
}

/**
 * Finds the style sheet's text for a browser's first page: waiting for the file would delay its first paint by a round
 * trip and by the scripts that load beside it. The cookie says that later pages have the file.
 */
function inlineStyles(request: Request, context: Pick<EdgeContext, "secure">) {
  const found: { textOf: (href: string) => string | undefined; cookie?: string } = {
    textOf: (href) => {
      const version = basename(href, ".css");
      const text = readCookie(request, COOKIE, context) === version ? undefined : readText(href);
      if (text !== undefined) found.cookie = cookie(COOKIE, version, YEAR_SECONDS, context);
      return text;
    },
  };
  return found;
}
