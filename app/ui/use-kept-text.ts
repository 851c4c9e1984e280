import { type RefObject, useEffect } from "react";

/**
 * Keeps what is typed in the forms of a box over a reload and a new sign-in, until it is sent.
 * @param page a part of the keys, so that pages don't share text
 */
export function useKeptText(box: RefObject<HTMLElement>, page: string | undefined): void {
  useEffect(() => {
    if (page === undefined) return;
    const controller = new AbortController();
    // Not among the page's own scripts: typing takes longer than loading it.
    import("./keep-over-reload").then(
      ({ keepOverReload }) => {
        if (box.current && !controller.signal.aborted)
          keepOverReload(box.current, controller.signal, () => page);
      },
      () => undefined,
    );
    return () => controller.abort();
  }, [box, page]);
}
