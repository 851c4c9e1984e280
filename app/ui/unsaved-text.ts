import { fieldsWithKeys, type TextField, writeText } from "./typed-text";

/** A field's text, and the saved value it replaces. */
interface Unsaved {
  text: string;
  saved: string;
}

function readStored(key: string): Unsaved | undefined {
  try {
    const stored = sessionStorage.getItem(key);
    return stored === null ? undefined : (JSON.parse(stored) as Unsaved);
  } catch {
    return undefined;
  }
}

function store(key: string, unsaved: Unsaved | undefined): void {
  try {
    if (unsaved) sessionStorage.setItem(key, JSON.stringify(unsaved));
    else sessionStorage.removeItem(key);
  } catch {
    // Disabled or full.
  }
}

/** Stores what is typed into the forms of `box`, except dialogs, which ask before they discard it. */
export function unsavedText(box: HTMLElement, page: string, signal: AbortSignal) {
  // Later a controlled field's default is its text, and a refused field's what was sent.
  const savedValues = new WeakMap<TextField, string>();
  const fields = () => fieldsWithKeys(box, page).filter(([field]) => !field.closest("dialog"));
  let sentTexts = new Map<string, string>();

  const note = (field: TextField, key: string) => {
    const saved = savedValues.get(field) ?? field.defaultValue;
    savedValues.set(field, saved);
    store(key, field.value === saved ? undefined : { text: field.value, saved });
  };
  const noteInput = ({ target }: Event) => {
    const found = fields().find(([field]) => field === target);
    if (found) note(...found);
  };
  const noteSubmit = ({ target }: Event) => {
    const sent = fields().filter(([field]) => field.form === target);
    sentTexts = new Map(sent.map(([field, key]) => [key, field.value]));
  };
  // Text typed before hydration.
  for (const [field, key] of fields()) if (field.value !== field.defaultValue) note(field, key);
  // Before React changes a controlled field's default.
  box.addEventListener("input", noteInput, { signal, capture: true });
  box.addEventListener("submit", noteSubmit, { signal, capture: true });

  return {
    /** Leaves fields alone that were edited, or saved with another value. @returns whether a field was restored */
    restore(): boolean {
      let isRestored = false;
      for (const [field, key] of fields()) {
        const unsaved = readStored(key);
        if (!unsaved || field.value !== unsaved.saved || field.defaultValue !== unsaved.saved) continue;
        savedValues.set(field, unsaved.saved);
        writeText(field, unsaved.text);
        isRestored = true;
      }
      return isRestored;
    },
    /** After a form was sent. Keeps what was typed meanwhile. @returns whether no unsaved text is left */
    settle(isRefused: boolean): boolean {
      const sent = sentTexts;
      sentTexts = new Map();
      if (isRefused) return false;
      for (const [key, saved] of sent) {
        const later = readStored(key);
        store(key, later && later.text !== saved ? { text: later.text, saved } : undefined);
      }
      return sent.size > 0 && fields().every(([, key]) => !readStored(key));
    },
    discard(): void {
      for (const [field, key] of fields()) {
        const saved = savedValues.get(field);
        store(key, undefined);
        if (saved !== undefined && saved !== field.value) writeText(field, saved);
      }
    },
  };
}
