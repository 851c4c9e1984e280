import type { Tone } from "~/ui/badge";

/** Created and added green, deleted and removed red, updated and modified amber, everything else blue. */
export function toneOf(action: string): Tone {
  if (/created|added/.test(action)) return "success";
  if (/deleted|removed/.test(action)) return "danger";
  if (/updated|modified/.test(action)) return "warning";
  return "info";
}
