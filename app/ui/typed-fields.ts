/** A control with a value of its own. */
export type TypedField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** One of them marks a form that the server refused. */
const REFUSED = "[aria-invalid=true], [role=alert]";

const isCheckable = (field: TypedField): field is HTMLInputElement =>
  field.type === "checkbox" || field.type === "radio";

const isField = (target: EventTarget | null): target is TypedField =>
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && !["hidden", "submit", "button", "reset"].includes(target.type));

/** "true" or "false" for checkboxes and radio buttons. */
export const readValue = (field: TypedField): string =>
  isCheckable(field) ? String(field.checked) : field.value;

/** Values before the first change, and of selects whose page marks no option as selected. */
const firstValues = new WeakMap<TypedField, string>();
/** What a form sent last. */
const sentValues = new WeakMap<HTMLFormElement, ReadonlyMap<TypedField, string>>();

/** Of a field that is given back with what was typed, the attribute `data-given` has what it is to replace. */
function defaultOf(field: TypedField): string {
  if (isCheckable(field)) return String(field.defaultChecked);
  if (!(field instanceof HTMLSelectElement)) return field.dataset.given ?? field.defaultValue;
  return [...field.options].find(({ defaultSelected }) => defaultSelected)?.value ?? field.value;
}

/** Fields of forms that change something, those of searches left out. */
export const fieldsIn = (box: ParentNode): TypedField[] =>
  [...box.querySelectorAll("input, textarea, select")].filter(
    (field): field is TypedField => isField(field) && field.name !== "" && field.form?.method === "post",
  );

const isRefused = (form: HTMLFormElement | null) => form?.querySelector(REFUSED) != null;

/**
 * The value that the page gave. A text field of a form that was sent without script, and refused, has its text from there: it
 * was typed.
 */
export function givenValue(field: TypedField): string {
  const { form } = field;
  const isReturned = form && isRefused(form) && !sentValues.has(form);
  const isText = !isCheckable(field) && !(field instanceof HTMLSelectElement);
  return firstValues.get(field) ?? (isReturned && isText ? "" : defaultOf(field));
}

/** Whether the field's value is neither the page's nor one that was sent and accepted. */
export function isTyped(field: TypedField): boolean {
  const { form } = field;
  const sent = form && !isRefused(form) ? sentValues.get(form)?.get(field) : undefined;
  return readValue(field) !== (sent ?? givenValue(field));
}

/** Notes what fields held before they were changed, and what was sent. Called once, before hydration. */
export function watchFields(): void {
  const note = ({ target }: Event) => {
    // Later the default of a field that React controls is its value.
    if (isField(target) && !firstValues.has(target)) firstValues.set(target, givenValue(target));
  };
  const noteSent = ({ target }: Event) => {
    if (target instanceof HTMLFormElement)
      sentValues.set(target, new Map(fieldsIn(target).map((field) => [field, readValue(field)])));
  };
  // A field that had the focus before this is noted as it is typed into: its default is still the page's.
  for (const type of ["focusin", "input"]) document.addEventListener(type, note, true);
  document.addEventListener("submit", noteSent, true);
}

/** Writes a value with the events that React expects. A folded field would be sent unseen. */
export function writeValue(field: TypedField, value: string): void {
  field.closest("details")?.setAttribute("open", "");
  if (field instanceof HTMLSelectElement) {
    field.value = value;
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  } else if (!isCheckable(field)) writeText(field, value);
  // A radio button is left by pressing another.
  else if (readValue(field) !== value && (value === "true" || field.type === "checkbox")) field.click();
}

/**
 * Writes into a field as if it were typed: a text set as a range is one that React's controlled fields hear, too. Fields
 * without ranges, such as those of numbers, must be uncontrolled.
 */
export function writeText(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (field.selectionStart === null) field.value = text;
  else field.setRangeText(text, 0, field.value.length, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
