import type { Tone } from "~/ui/badge";
import type { Mode } from "../personas.schema";

/** How each mode reads. */
export const MODE_LOOKS: Record<Mode, { label: string; tone: Tone; hint: string }> = {
  default: { label: "Default", tone: "neutral", hint: "for any task" },
  research: { label: "Research", tone: "info", hint: "finding and comparing sources" },
  operations: { label: "Operations", tone: "warning", hint: "running and monitoring systems" },
  development: { label: "Development", tone: "secondary", hint: "writing and reviewing code" },
};
