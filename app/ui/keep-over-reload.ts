import {
  allFieldsWithKeys,
  defaultOf,
  type Field,
  readStored,
  readValue,
  store,
  writeValue,
} from "./unsaved-fields";

const isSignIn = (address: string) => URL.canParse(address) && new URL(address).pathname === "/login";

/** Reload, back or sign-in after the session ended; a newly entered address starts empty. */
function isReturn(): boolean {
  const [entry] = performance.getEntriesByType("navigation");
  if (!(entry instanceof PerformanceNavigationTiming)) return false;
  return entry.type !== "navigate" || isSignIn(entry.name) || isSignIn(document.referrer);
}

/** Restores what was typed or chosen in a dialog after a reload, except passwords and files. */
export function keepOverReload(box: HTMLElement, signal: AbortSignal): void {
  // Tabs of a dialog change the address.
  const fields = () => allFieldsWithKeys(box, location.pathname + location.search);
  const restore = ([field, key]: [Field, string]) => {
    const stored = readStored(key);
    store(key, undefined);
    const isUntouched = stored !== undefined && readValue(field) === defaultOf(field);
    if (isUntouched && isReturn() && stored.saved === defaultOf(field)) writeValue(field, stored.value);
  };
  for (const field of fields()) restore(field);
  // A choice may show more fields.
  queueMicrotask(() => {
    for (const field of fields()) if (readStored(field[1])) restore(field);
  });
  box.addEventListener("focusin", fields, { signal });
  const keep = () => {
    for (const [field, key] of fields()) {
      const [value, saved] = [readValue(field), defaultOf(field)];
      if (value !== saved) store(key, { value, saved });
    }
  };
  window.addEventListener("pagehide", keep, { signal });
}
