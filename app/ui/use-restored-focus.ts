import { type RefObject, useEffect, useRef } from "react";

const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";

/** By row and index. */
interface Place {
  row: string | undefined;
  control: number;
}

/**
 * Restores the focus after its element was remounted: to the same control of its row (`data-row`) or of the whole box; to
 * the page if the row was removed.
 * @param shown the rendered data: the focus may be lost when it changes
 */
export function useRestoredFocus(box: RefObject<HTMLElement>, shown: unknown): void {
  const place = useRef<Place>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const note = ({ target }: Event) => {
      place.current = box.current && target instanceof Element ? placeOf(box.current, target) : undefined;
    };
    document.addEventListener("focusin", note, { signal });
    // A press on no control clears the focus.
    document.addEventListener("pointerdown", note, { signal });
    return () => controller.abort();
  }, [box]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is checked when the data change.
  useEffect(() => {
    if (!place.current || document.activeElement !== document.body) return;
    const { row, control } = place.current;
    const rowAgain = row === undefined ? box.current : box.current?.querySelector(rowSelector(row));
    const again = rowAgain?.querySelectorAll<HTMLElement>(CONTROLS)[control];
    // Remounted `<details>` are closed.
    const folded = again?.parentElement?.closest("details");
    if (folded && !again?.matches("summary")) folded.open = true;
    (again ?? document.querySelector<HTMLElement>("main"))?.focus({ preventScroll: !again });
  }, [box, shown]);
}

const rowSelector = (row: string) => `[data-row="${CSS.escape(row)}"]`;

function placeOf(box: HTMLElement, target: Element): Place | undefined {
  const control = target.closest(CONTROLS);
  if (!control || !box.contains(control)) return undefined;
  const row = control.closest<HTMLElement>("[data-row]");
  const within = row && box.contains(row) ? row : box;
  return {
    row: within === box ? undefined : within.dataset.row,
    control: [...within.querySelectorAll(CONTROLS)].indexOf(control),
  };
}
