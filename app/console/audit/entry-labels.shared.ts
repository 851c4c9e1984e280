import type { Tone } from "~/ui/badge";

const LABELS: Readonly<Record<string, string>> = { means: "How" };

/** A detail's or field's name for people, such as "Enable CSP" for `enableCSP`. */
export function fieldLabel(name: string): string {
  if (Object.hasOwn(LABELS, name)) return LABELS[name] ?? name;
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[ ._]+/);
  const text = words.map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase())).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Created and added green, deleted and removed red, updated, modified and failed amber, everything else blue. */
export function toneOf(action: string): Tone {
  if (/created|added/.test(action)) return "success";
  if (/deleted|removed/.test(action)) return "danger";
  if (/updated|modified|failed/.test(action)) return "warning";
  return "info";
}
