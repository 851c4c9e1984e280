const INTERACTIONS = ["pointermove", "pointerdown", "keydown"] as const;

/** Runs `load` on the first interaction with the page, so that lazy code is ready when it is needed. */
export function onFirstUse(load: () => void): void {
  if (typeof window === "undefined") return;
  const controller = new AbortController();
  const begin = () => {
    controller.abort();
    load();
  };
  for (const type of INTERACTIONS)
    window.addEventListener(type, begin, { signal: controller.signal, capture: true, passive: true });
}
