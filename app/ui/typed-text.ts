const TEXT =
  "textarea, input:not([type=hidden]):not([type=checkbox]):not([type=radio]):not([type=submit]):not([type=button])";

type TextField = HTMLInputElement | HTMLTextAreaElement;

const fieldsOf = (box: HTMLElement) => [
  ...box.querySelectorAll<TextField>(
    TEXT.split(", ")
      .map((one) => `form[method=post] ${one}`)
      .join(", "),
  ),
];

/** Watches whether text was typed into the forms of a box since it opened; searches don't count. */
export function watchTyped(box: HTMLElement, signal: AbortSignal): { isTyped: () => boolean } {
  const before = new Map<TextField, string>();
  // Text typed before the script loaded differs from what the server sent.
  for (const field of fieldsOf(box)) before.set(field, field.defaultValue);
  let sent = false;
  const note = ({ target }: Event) => {
    const field = target as TextField;
    if (target instanceof Element && target.matches(TEXT) && !before.has(field))
      before.set(field, field.value);
  };
  box.addEventListener("focusin", note, { signal });
  box.addEventListener("input", () => (sent = false), { signal });
  box.addEventListener("submit", () => (sent = true), { signal });
  return {
    isTyped: () =>
      !sent &&
      fieldsOf(box).some((field) => field.value.trim() !== "" && field.value !== (before.get(field) ?? "")),
  };
}

/** Puts a text into a field as if it were typed; React follows the field's own setter, which its tracking hides. */
function write(field: TextField, text: string): void {
  const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(prototype.prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Whether the page was reloaded or gone back to. An address that was entered begins with empty forms. */
function isReturn(): boolean {
  const [entry] = performance.getEntriesByType("navigation");
  return entry instanceof PerformanceNavigationTiming && entry.type !== "navigate";
}

/** The fields of a box whose text may be kept, each with its key in the tab's storage. */
function keptFieldsOf(box: HTMLElement): [TextField, string][] {
  const counts = new Map<string, number>();
  return fieldsOf(box).flatMap((field): [TextField, string][] => {
    if (field.type === "password") return [];
    const count = (counts.get(field.name) ?? 0) + 1;
    counts.set(field.name, count);
    return [[field, `typed:${location.pathname}${location.search}#${field.name}#${count}`]];
  });
}

/** Keeps the text typed into the forms of a box over a reload of its address; passwords are never kept. */
export function keepOverReload(box: HTMLElement, signal: AbortSignal): void {
  try {
    for (const [field, key] of keptFieldsOf(box)) {
      const kept = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      if (kept !== null && isReturn() && field.value === field.defaultValue) write(field, kept);
    }
  } catch {
    // Storage is switched off.
    return;
  }
  const keep = () => {
    try {
      for (const [field, key] of keptFieldsOf(box))
        if (field.value !== field.defaultValue) sessionStorage.setItem(key, field.value);
    } catch {
      // Storage is full.
    }
  };
  window.addEventListener("pagehide", keep, { signal });
}
