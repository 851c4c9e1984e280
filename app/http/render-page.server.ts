import { PassThrough } from "node:stream";
import type { ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { orderedYields } from "~/core/event-loop.server";

interface RenderOptions {
  nonce?: string | undefined;
  /** How long it may take, in milliseconds. */
  timeoutMs: number;
}

/**
 * Renders a page whole and in order: without script nothing would put later parts in place.
 *
 * @throws what any part of it threw: a page with a hole in it would hide that
 */
export function renderPage(page: ReactNode, { nonce, timeoutMs }: RenderOptions): Promise<PassThrough> {
  return new Promise((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(page, {
      ...(nonce === undefined ? {} : { nonce }),
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      // The first of these to happen settles it.
      onError: reject,
      onAllReady: () => {
        clearTimeout(timer);
        resolve(pipe(new PassThrough()));
      },
    });
    const timer = setTimeout(() => abort(new Error("Rendering the page took too long.")), timeoutMs).unref();
  });
}

/** How long a part of a page that is streamed may take, in milliseconds. */
const PART_TIMEOUT = 10_000;

/**
 * Markup of a page, or of a part of one, that a resource route writes itself.
 *
 * @param draw gets the turns that the slices of what it draws wait for
 */
export async function renderMarkup(draw: (turns: () => Promise<void>) => ReactNode): Promise<string> {
  const drawn = await renderPage(draw(orderedYields()), { timeoutMs: PART_TIMEOUT });
  return Buffer.concat(await drawn.toArray()).toString();
}
