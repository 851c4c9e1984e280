import { Transform } from "node:stream";
import type { ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { orderedYields } from "~/core/background.server";

interface RenderOptions {
  nonce?: string | undefined;
  timeoutMs: number;
}

/** React 18 fills a chunk up with zero bytes if the next letter doesn't fit, which fields would show and save; 19 doesn't. */
const withoutZeros = () =>
  new Transform({
    transform: (chunk: Buffer, _, done) =>
      done(null, chunk.includes(0) ? chunk.filter((byte) => byte !== 0) : chunk),
  });

/** Renders a page in order, since revealing streamed parts needs JavaScript. @throws the first error */
export function renderPage(page: ReactNode, { nonce, timeoutMs }: RenderOptions): Promise<Transform> {
  return new Promise((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(page, {
      ...(nonce === undefined ? {} : { nonce }),
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      onError: reject,
      onAllReady: () => {
        clearTimeout(timer);
        resolve(pipe(withoutZeros()));
      },
    });
    const timer = setTimeout(() => abort(new Error("Rendering the page took too long.")), timeoutMs).unref();
  });
}

/** Time limit per streamed part (ms). */
const PART_TIMEOUT = 10_000;

/** Markup for a resource route. @param render gets a function that yields to the event loop between batches */
export async function renderMarkup(
  render: (yieldBetween: () => Promise<void>) => ReactNode,
): Promise<string> {
  const rendered = await renderPage(render(orderedYields()), { timeoutMs: PART_TIMEOUT });
  return Buffer.concat(await rendered.toArray()).toString();
}
