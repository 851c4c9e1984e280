import { fieldsWithKeys, storageKey, type TextField } from "./typed-text";
import { writeText } from "./write-text";

/** A field's value, and the saved one it replaces. */
export interface Unsaved {
  value: string;
  saved: string;
  /** The session in which the page was left. */
  session?: string | undefined;
}

export function readStored(key: string): Unsaved | undefined {
  try {
    const stored = sessionStorage.getItem(key);
    return stored === null ? undefined : (JSON.parse(stored) as Unsaved);
  } catch {
    return undefined;
  }
}

export function store(key: string, unsaved: Unsaved | undefined): void {
  try {
    if (unsaved) sessionStorage.setItem(key, JSON.stringify(unsaved));
    else sessionStorage.removeItem(key);
  } catch {
    // Disabled or full.
  }
}

/** A text field, or a choice: a select, checkbox or radio button. */
export type Field = TextField | HTMLSelectElement;

const CHOICES = "select, input[type=checkbox], input[type=radio]";

const isCheckable = (field: Field): field is HTMLInputElement =>
  field.type === "checkbox" || field.type === "radio";

/** The value as text; "true" or "false" for checkboxes and radio buttons. */
export const readValue = (field: Field): string => (isCheckable(field) ? String(field.checked) : field.value);

/** Of selects, when they were listed first. */
const firstValues = new WeakMap<Field, string>();

/** The value that the server rendered; of a select without a selected option, the one that was listed first. */
export function defaultOf(field: Field): string {
  if (isCheckable(field)) return String(field.defaultChecked);
  if (!(field instanceof HTMLSelectElement)) return field.defaultValue;
  const selected = [...field.options].find(({ defaultSelected }) => defaultSelected);
  return selected?.value ?? firstValues.get(field) ?? field.value;
}

/** With the events that React expects. */
export function writeValue(field: Field, value: string): void {
  if (field instanceof HTMLSelectElement) {
    field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  } else if (!isCheckable(field)) writeText(field, value);
  // A radio button is left by pressing another.
  else if (field.checked !== (value === "true") && (value === "true" || field.type === "checkbox"))
    field.click();
}

/** Writes what was typed earlier. A folded field would be sent unseen. */
export function restoreValue(field: Field, value: string): void {
  field.closest("details")?.setAttribute("open", "");
  writeValue(field, value);
}

/** Hidden fields that name what a form belongs to, since another row, message or call may take its place. */
const RECORD = ["id", "name", "model", "provider", "messageId", "toolCallId"]
  .map((name) => `input[type=hidden][name=${name}]`)
  .join(", ");

const recordOf = ({ form }: Field): string =>
  [...(form?.querySelectorAll<HTMLInputElement>(RECORD) ?? [])]
    .map(({ name, value }) => `${name}=${value}`)
    .join("&");

/** Storage keys of text fields and choices; see `fieldsWithKeys`. A choice's key has its value, as names repeat. */
export function allFieldsWithKeys(box: HTMLElement, page: string): [Field, string][] {
  const choices = [...box.querySelectorAll<HTMLSelectElement | HTMLInputElement>(CHOICES)].filter(
    ({ form, name }) => form?.method === "post" && name !== "",
  );
  for (const field of choices) if (!firstValues.has(field)) firstValues.set(field, field.value);
  const counts = new Map<string, number>();
  return [
    ...fieldsWithKeys(box, page).map(([field, key]): [Field, string] => [field, `${key}#${recordOf(field)}`]),
    ...choices.map((field): [Field, string] => {
      const choice = isCheckable(field) ? `${field.name}=${field.value}` : field.name;
      const name = `${choice}#${recordOf(field)}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return [field, storageKey(page, `${name}#choice${count}`)];
    }),
  ];
}
