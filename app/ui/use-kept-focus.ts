import { type RefObject, useEffect, useRef } from "react";

const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";

/** Where the focus was: in which row, if any, on which of its controls. */
interface Place {
  row: string | undefined;
  control: number;
}

/**
 * Restores the focus where its element was remounted, perhaps elsewhere: to the same control of the row (`data-row`) or
 * of the whole box; to the page if the row is gone.
 * @param shown what is rendered: the focus may be lost when it changes
 */
export function useKeptFocus(box: RefObject<HTMLElement>, shown: unknown): void {
  const place = useRef<Place>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const note = ({ target }: Event) => {
      place.current = box.current && target instanceof Element ? placeOf(box.current, target) : undefined;
    };
    document.addEventListener("focusin", note, { signal });
    // A press on nothing gives the focus up.
    document.addEventListener("pointerdown", note, { signal });
    return () => controller.abort();
  }, [box]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown decides when to look.
  useEffect(() => {
    if (!place.current || document.activeElement !== document.body) return;
    const { row, control } = place.current;
    const rowAgain = row === undefined ? box.current : box.current?.querySelector(rowSelector(row));
    const again = rowAgain?.querySelectorAll<HTMLElement>(CONTROLS)[control];
    // What was unfolded is drawn folded.
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
