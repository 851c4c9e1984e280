import type { Fetcher } from "@remix-run/react";

const TEXT_FIELDS =
  "textarea, input:not([type=hidden]):not([type=checkbox]):not([type=radio]):not([type=submit]):not([type=button])";

/** One of them marks a field or form that the server refused. */
const REFUSED = "[aria-invalid=true], [role=alert]";

export type TextField = HTMLInputElement | HTMLTextAreaElement;

const fieldsOf = (box: HTMLElement) => [
  ...box.querySelectorAll<TextField>(
    TEXT_FIELDS.split(", ")
      .map((one) => `form[method=post] ${one}`)
      .join(", "),
  ),
];

function isSending(): boolean {
  const { navigation, fetchers } = window.__remixRouter.state;
  return navigation.state !== "idle" || [...fetchers.values()].some(({ state }) => state !== "idle");
}

/**
 * Whether the page itself may be loading another document, such as the sign-in page. A fetcher that is redirected is
 * loading without the action's data; one that submits in the background is no reason to leave.
 */
export function isLeaving(): boolean {
  const { navigation, fetchers } = window.__remixRouter.state;
  const isRedirected = ({ state, formMethod, data }: Fetcher) =>
    state === "loading" && (formMethod === undefined || data === undefined);
  return navigation.state !== "idle" || [...fetchers.values()].some(isRedirected);
}

/** Reports whether text was typed since opening; search forms don't count. */
export function watchTyped(box: HTMLElement, signal: AbortSignal): { isTyped: () => boolean } {
  const initialValues = new Map<TextField, string>();
  // Compares with the server's values, for text typed before hydration; those of a refused form were typed too.
  const isReturned = box.querySelector("[aria-invalid=true]") !== null;
  for (const field of fieldsOf(box)) initialValues.set(field, isReturned ? "" : field.defaultValue);
  let isSubmitted = false;
  const rememberInitial = ({ target }: Event) => {
    const field = target as TextField;
    if (target instanceof Element && target.matches(TEXT_FIELDS) && !initialValues.has(field))
      initialValues.set(field, field.value);
  };
  box.addEventListener("focusin", rememberInitial, { signal });
  box.addEventListener("input", () => (isSubmitted = false), { signal });
  box.addEventListener("submit", () => (isSubmitted = true), { signal });
  const isSaved = () => isSubmitted && (isSending() || !box.querySelector(REFUSED));
  return {
    isTyped: () =>
      !isSaved() &&
      fieldsOf(box).some(
        (field) => field.value.trim() !== "" && field.value !== (initialValues.get(field) ?? ""),
      ),
  };
}

/** A password is text while it is shown. */
const isStorable = ({ type, autocomplete }: TextField) =>
  type !== "password" && type !== "file" && !autocomplete.includes("password");

/** A storage key contains the user, since another one may sign in in the same tab. */
export const storageKey = (page: string, field: string): string =>
  `typed:${document.documentElement.dataset.person ?? ""}:${page}#${field}`;

/**
 * Text fields with their storage keys. Passwords and files have none.
 * @param page a part of the keys, so that pages don't share text
 */
export function fieldsWithKeys(box: HTMLElement, page: string): [TextField, string][] {
  const counts = new Map<string, number>();
  return fieldsOf(box).flatMap((field): [TextField, string][] => {
    if (!isStorable(field)) return [];
    const count = (counts.get(field.name) ?? 0) + 1;
    counts.set(field.name, count);
    return [[field, storageKey(page, `${field.name}#${count}`)]];
  });
}
