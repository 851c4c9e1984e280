import {
  allFieldsWithKeys,
  defaultOf,
  type Field,
  readStored,
  readValue,
  restoreValue,
  store,
  writeValue,
} from "./unsaved-fields";

/** Stores what is typed or chosen in the forms of `box`, except dialogs, which ask before they discard it. */
export function unsavedFields(box: HTMLElement, page: string, signal: AbortSignal) {
  // Later a controlled field's default is its value, and a refused field's what was submitted.
  const savedValues = new WeakMap<Field, string>();
  const fields = () => allFieldsWithKeys(box, page).filter(([field]) => !field.closest("dialog"));
  let submittedValues = new Map<string, string>();

  const storeChange = (field: Field, key: string) => {
    const saved = savedValues.get(field) ?? defaultOf(field);
    savedValues.set(field, saved);
    const value = readValue(field);
    store(key, value === saved ? undefined : { value, saved });
  };
  const noteInput = ({ target }: Event) => {
    const isRadio = target instanceof HTMLInputElement && target.type === "radio";
    for (const [field, key] of fields()) {
      // Choosing one radio button leaves another.
      if (field === target || (isRadio && field.name === target.name && field.form === target.form))
        storeChange(field, key);
    }
  };
  const noteSubmit = ({ target }: Event) => {
    const submitted = fields().filter(([field]) => field.form === target);
    submittedValues = new Map(submitted.map(([field, key]) => [key, readValue(field)]));
  };
  // Typed or chosen before hydration.
  for (const [field, key] of fields()) if (readValue(field) !== defaultOf(field)) storeChange(field, key);
  // Lists fields that came later before they change; see `defaultOf`.
  box.addEventListener("focusin", fields, { signal });
  // Before React changes a controlled field's default.
  box.addEventListener("input", noteInput, { signal, capture: true });
  box.addEventListener("submit", noteSubmit, { signal, capture: true });

  return {
    /** Leaves fields alone that were edited, or saved with another value. @returns whether a field was restored */
    restore(): boolean {
      let isRestored = false;
      for (const [field, key] of fields()) {
        const unsaved = readStored(key);
        if (!unsaved || readValue(field) !== unsaved.saved || defaultOf(field) !== unsaved.saved) continue;
        savedValues.set(field, unsaved.saved);
        restoreValue(field, unsaved.value);
        isRestored = true;
      }
      return isRestored;
    },
    /** Ends a submit. Keeps what was changed meanwhile. @returns whether nothing unsaved is left */
    endSubmit(isRefused: boolean): boolean {
      const submitted = submittedValues;
      submittedValues = new Map();
      if (isRefused) return false;
      for (const [key, saved] of submitted) {
        const later = readStored(key);
        store(key, later && later.value !== saved ? { ...later, saved } : undefined);
      }
      for (const [field, key] of fields()) {
        const saved = submitted.get(key);
        if (saved !== undefined && savedValues.has(field)) savedValues.set(field, saved);
      }
      return submitted.size > 0 && fields().every(([, key]) => !readStored(key));
    },
    isUnsaved: (): boolean => fields().some(([, key]) => readStored(key) !== undefined),
    discard(): void {
      for (const [field, key] of fields()) {
        const saved = savedValues.get(field);
        store(key, undefined);
        if (saved !== undefined && saved !== readValue(field)) writeValue(field, saved);
      }
    },
  };
}
