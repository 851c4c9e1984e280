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
