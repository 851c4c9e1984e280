import type { Tone } from "~/ui/badge";
import type { Mode } from "../personas.schema";

/** How each mode reads. */
export const MODE_LOOKS: Record<Mode, { label: string; tone: Tone; hint: string }> = {
  default: { label: "Default", tone: "neutral", hint: "for anything" },
  research: { label: "Research", tone: "info", hint: "finding and weighing sources" },
  operations: { label: "Operations", tone: "warning", hint: "running and watching things" },
  development: { label: "Development", tone: "secondary", hint: "writing and reading code" },
};
