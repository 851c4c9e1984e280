const SIGNS = ["pointermove", "pointerdown", "keydown"] as const;

/** Fetches what a page is shown without once somebody begins to use it, so that it is there at the first press. */
export function onFirstUse(load: () => void): void {
  if (typeof window === "undefined") return;
  const controller = new AbortController();
  const begin = () => {
    controller.abort();
    load();
  };
  for (const sign of SIGNS)
    window.addEventListener(sign, begin, { signal: controller.signal, capture: true, passive: true });
}
