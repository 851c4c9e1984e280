import { type RefObject, useEffect, useRef } from "react";

const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";

interface FocusPosition {
  row: string | undefined;
  control: number;
}

/** Restores the focus to the same control of its row after a remount. @param shown the data that may change it */
export function useRestoredFocus(box: RefObject<HTMLElement>, shown: unknown): void {
  const position = useRef<FocusPosition>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const remember = ({ target }: Event) => {
      position.current =
        box.current && target instanceof Element ? positionOf(box.current, target) : undefined;
    };
    document.addEventListener("focusin", remember, { signal });
    // A press on no control clears the focus.
    document.addEventListener("pointerdown", remember, { signal });
    return () => controller.abort();
  }, [box]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is checked when the data change.
  useEffect(() => {
    if (!position.current || document.activeElement !== document.body) return;
    const { row, control } = position.current;
    const container = row === undefined ? box.current : box.current?.querySelector(rowSelector(row));
    const target = container?.querySelectorAll<HTMLElement>(CONTROLS)[control];
    // Remounted `<details>` are closed.
    const folded = target?.parentElement?.closest("details");
    if (folded && !target?.matches("summary")) folded.open = true;
    (target ?? document.querySelector<HTMLElement>("main"))?.focus({ preventScroll: !target });
  }, [box, shown]);
}

const rowSelector = (row: string) => `[data-row="${CSS.escape(row)}"]`;

function positionOf(box: HTMLElement, target: Element): FocusPosition | undefined {
  const control = target.closest(CONTROLS);
  if (!control || !box.contains(control)) return undefined;
  const row = control.closest<HTMLElement>("[data-row]");
  const within = row && box.contains(row) ? row : box;
  return {
    row: within === box ? undefined : within.dataset.row,
    control: [...within.querySelectorAll(CONTROLS)].indexOf(control),
  };
}
