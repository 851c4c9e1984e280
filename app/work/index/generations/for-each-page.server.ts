import { yieldToEventLoop } from "~/core/background.server";

/** Processes rows page by page, by their ids. */
export async function forEachPage<T extends { id: number }>(
  list: (after: number) => T[],
  process: (page: T[]) => Promise<unknown>,
): Promise<void> {
  for (let after = 0; ; ) {
    const page = list(after);
    const last = page.at(-1);
    if (!last) return;
    await process(page);
    after = last.id;
    await yieldToEventLoop();
  }
}
