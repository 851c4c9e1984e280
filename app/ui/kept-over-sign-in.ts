import { keepInTab, readFromTab } from "./tab-storage";
import { fieldsIn, givenValue, readValue, type TypedField, writeValue } from "./typed-fields";

/** By the key of a field: its value, the one it replaced, and the session in which it was typed. */
type Kept = Record<string, { value: string; given: string; session: string | undefined }>;

/** Hidden fields that name what a form belongs to, since another row, message or call may take its place. */
const RECORD = ["id", "name", "model", "provider", "messageId", "toolCallId"]
  .map((name) => `input[type=hidden][name=${name}]`)
  .join(", ");

/** A password is text while it is shown. Parts that keep their own draft are marked, and parts of those that don't. */
const isKept = (field: TypedField) =>
  !(field instanceof HTMLInputElement && ["password", "file"].includes(field.type)) &&
  !field.autocomplete.includes("password") &&
  !field.closest("[data-keeps-draft], [data-kept]")?.matches("[data-keeps-draft]");

/** Fields by keys that name their page, what their form belongs to, and their place among others of the name. */
function keptFields(): Map<string, TypedField> {
  const fields = new Map<string, TypedField>();
  const counts = new Map<string, number>();
  // As drawn: the address bar names the next page before its fields have replaced those of the one before.
  const { pathname, search } = new URL(document.documentElement.dataset.address ?? "/", location.origin);
  for (const field of fieldsIn(document).filter(isKept)) {
    const address = pathname + (field.closest("dialog") ? search : "");
    const record = [...(field.form?.querySelectorAll<HTMLInputElement>(RECORD) ?? [])].map(
      ({ name, value }) => `${name}=${value}`,
    );
    const isChoice = field.type === "checkbox" || field.type === "radio";
    const name = [address, ...record, field.name, ...(isChoice ? [field.value] : [])].join("#");
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    fields.set(`${name}#${count}`, field);
  }
  return fields;
}

/** Another person may sign in in the same tab. */
const storageKey = () => `typed:${document.documentElement.dataset.person ?? ""}`;
const currentSession = () => document.documentElement.dataset.session;

/** Of sessions that have ended. */
function take(): Kept {
  const stored = readFromTab(storageKey());
  keepInTab(storageKey(), undefined);
  try {
    const kept = JSON.parse(stored ?? "{}") as Kept;
    return Object.fromEntries(Object.entries(kept).filter(([, { session }]) => session !== currentSession()));
  } catch {
    return {};
  }
}

/** Writes what is kept into the fields that the page shows by now, and drops it where the saved value is another. */
function restore(fields: Kept): void {
  for (const [key, field] of keptFields()) {
    const kept = fields[key];
    if (!kept) continue;
    delete fields[key];
    if (kept.given === readValue(field) && kept.given === givenValue(field)) writeValue(field, kept.value);
  }
}

/** Keeps what was typed, but for passwords and files, until the same person has signed in again in this tab. */
export function keepOverSignIn(): void {
  const fields = take();
  restore(fields);
  // Dialogs and panels that aren't open yet.
  const observer = new MutationObserver(() => {
    restore(fields);
    if (Object.keys(fields).length === 0) observer.disconnect();
  });
  if (Object.keys(fields).length > 0) observer.observe(document.body, { childList: true, subtree: true });
  window.addEventListener("pagehide", () => {
    for (const [key, field] of keptFields())
      if (readValue(field) !== givenValue(field))
        fields[key] = { value: readValue(field), given: givenValue(field), session: currentSession() };
    if (Object.keys(fields).length > 0) keepInTab(storageKey(), JSON.stringify(fields));
  });
}
