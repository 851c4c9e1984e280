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

/** Since opening; searches don't count. */
export function watchTyped(box: HTMLElement, signal: AbortSignal): { isTyped: () => boolean } {
  const before = new Map<TextField, string>();
  // Compares with the server's values, for text typed before hydration.
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

/** Bypasses React's value tracking. */
function write(field: TextField, text: string): void {
  const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(prototype.prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

const isSignIn = (address: string) => URL.canParse(address) && new URL(address).pathname === "/login";

/** Reload, back or sign-in after the session ended; a newly entered address begins empty. */
function isReturn(): boolean {
  const [entry] = performance.getEntriesByType("navigation");
  if (!(entry instanceof PerformanceNavigationTiming)) return false;
  return entry.type !== "navigate" || isSignIn(entry.name) || isSignIn(document.referrer);
}

/** With storage keys, which name the person: another one may sign in in the same tab. */
function keptFieldsOf(box: HTMLElement): [TextField, string][] {
  const { person = "" } = document.documentElement.dataset;
  const counts = new Map<string, number>();
  return fieldsOf(box).flatMap((field): [TextField, string][] => {
    if (field.type === "password") return [];
    const count = (counts.get(field.name) ?? 0) + 1;
    counts.set(field.name, count);
    return [[field, `typed:${person}:${location.pathname}${location.search}#${field.name}#${count}`]];
  });
}

/** Never passwords. */
export function keepOverReload(box: HTMLElement, signal: AbortSignal): void {
  try {
    for (const [field, key] of keptFieldsOf(box)) {
      const kept = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      if (kept !== null && isReturn() && field.value === field.defaultValue) write(field, kept);
    }
  } catch {
    // Disabled.
    return;
  }
  const keep = () => {
    try {
      for (const [field, key] of keptFieldsOf(box))
        if (field.value !== field.defaultValue) sessionStorage.setItem(key, field.value);
    } catch {
      // Full.
    }
  };
  window.addEventListener("pagehide", keep, { signal });
}
