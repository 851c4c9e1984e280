import type { Page } from "@playwright/test";

/** A promise that a test fulfills itself. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Holds a page's requests until `release`. @param method of the requests; all by default */
export async function hold(
  page: Page,
  url: Parameters<Page["route"]>[0],
  method?: string,
): Promise<{ release: () => void }> {
  const { opened, open } = gate();
  await page.route(url, async (route) => {
    if (method === undefined || route.request().method() === method) await opened;
    // The page may no longer want it.
    await route.continue().catch(() => undefined);
  });
  return { release: open };
}
