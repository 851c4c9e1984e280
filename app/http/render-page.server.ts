import { PassThrough } from "node:stream";
import type { ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { orderedYields } from "~/core/event-loop.server";

interface RenderOptions {
  nonce?: string | undefined;
  timeoutMs: number;
}

/**
 * Renders a page in order, since revealing streamed parts needs JavaScript.
 * @throws the first error instead of an incomplete page
 */
export function renderPage(page: ReactNode, { nonce, timeoutMs }: RenderOptions): Promise<PassThrough> {
  return new Promise((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(page, {
      ...(nonce === undefined ? {} : { nonce }),
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      onError: reject,
      onAllReady: () => {
        clearTimeout(timer);
        resolve(pipe(new PassThrough()));
      },
    });
    const timer = setTimeout(() => abort(new Error("Rendering the page took too long.")), timeoutMs).unref();
  });
}

/** Time limit per streamed part (ms). */
const PART_TIMEOUT = 10_000;

/**
 * Markup of a page or part for a resource route.
 * @param render receives a function that yields to the event loop between batches
 */
export async function renderMarkup(
  render: (yieldBetween: () => Promise<void>) => ReactNode,
): Promise<string> {
  const rendered = await renderPage(render(orderedYields()), { timeoutMs: PART_TIMEOUT });
  return Buffer.concat(await rendered.toArray()).toString();
}
