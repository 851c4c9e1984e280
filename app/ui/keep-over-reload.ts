import {
  allFieldsWithKeys,
  defaultOf,
  type Field,
  readStored,
  readValue,
  restoreValue,
  store,
  type Unsaved,
} from "./unsaved-fields";

const currentSession = () => document.documentElement.dataset.session;

/** Reload, back or sign-in after the session ended; a newly entered address starts empty. */
function isReturn({ session }: Unsaved): boolean {
  const [entry] = performance.getEntriesByType("navigation");
  const isNewlyEntered = entry instanceof PerformanceNavigationTiming && entry.type === "navigate";
  return !isNewlyEntered || session !== currentSession();
}

/** Keys of texts that are being sent. */
const sending = new Set<string>();

/**
 * Restores what was typed or chosen in a box after a reload, or after the server refused it, except passwords and files.
 * @param pageOf the page's part of the keys
 */
export function keepOverReload(box: HTMLElement, signal: AbortSignal, pageOf: () => string): void {
  // Later a controlled field's default is its value.
  const savedValues = new WeakMap<Field, string>();
  const fields = () => {
    const all = allFieldsWithKeys(box, pageOf());
    for (const [field] of all) if (!savedValues.has(field)) savedValues.set(field, defaultOf(field));
    return all;
  };
  const restore = ([field, key]: [Field, string]) => {
    const stored = readStored(key);
    const wasSent = sending.delete(key);
    store(key, undefined);
    if (!stored || (!wasSent && !isReturn(stored))) return;
    const isUntouched = readValue(field) === defaultOf(field);
    if (isUntouched && stored.saved === defaultOf(field)) restoreValue(field, stored.value);
  };
  for (const field of fields()) restore(field);
  // A choice may show more fields.
  queueMicrotask(() => {
    for (const field of fields()) if (readStored(field[1])) restore(field);
  });
  box.addEventListener("focusin", fields, { signal });
  const keep = () => {
    for (const [field, key] of fields()) {
      const [value, saved] = [readValue(field), savedValues.get(field) ?? defaultOf(field)];
      if (value !== saved) store(key, { value, saved, session: currentSession() });
    }
  };
  window.addEventListener("pagehide", keep, { signal });
}

/** Keeps a form's text while it is sent, for when the form is shown again. @returns drops it, once it has arrived */
export function keepWhileSending(form: HTMLFormElement, page: string): () => void {
  const sent = allFieldsWithKeys(form, page);
  for (const [field, key] of sent) {
    store(key, { value: readValue(field), saved: defaultOf(field) });
    sending.add(key);
  }
  return () => {
    for (const [, key] of sent) {
      store(key, undefined);
      sending.delete(key);
    }
  };
}
