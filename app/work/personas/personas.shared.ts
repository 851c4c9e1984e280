import type { Tone } from "~/ui/badge";
import type { Mode, PersonaApproval, PersonaVisibility } from "./personas.schema";

export const MODE_INSTRUCTIONS: Record<Mode, string> = {
  default: "",
  research: "Use your tools to research before you answer. Compare and name your sources.",
  operations: "Be brief and exact. Announce each change before you make it, and report the result.",
  development: "Answer with complete, correct code in fenced blocks that name their language.",
};

export const MODE_VARIANTS: Record<Mode, { label: string; tone: Tone; hint: string }> = {
  default: { label: "Default", tone: "neutral", hint: "for any task" },
  research: { label: "Research", tone: "info", hint: "finding and comparing sources" },
  operations: { label: "Operations", tone: "warning", hint: "running and monitoring systems" },
  development: { label: "Development", tone: "secondary", hint: "writing and reviewing code" },
};

export const MODE_OPTIONS = Object.entries(MODE_VARIANTS).map(([value, { label, hint }]) => ({
  value,
  label: `${label} · ${hint}`,
}));

export const APPROVAL_OPTIONS: { value: PersonaApproval; label: string }[] = [
  { value: "default", label: "Same as any chat" },
  { value: "ask", label: "Ask before every write or external call" },
  { value: "organisation", label: "Follow the organization's tool policies" },
];

export const VISIBILITY_LABELS: Record<PersonaVisibility, { label: string; hint: string }> = {
  everyone: { label: "Everyone", hint: "All members of the organization" },
  groups: { label: "Groups", hint: "Members of the chosen groups, you and admins" },
  own: { label: "Only me", hint: "You and admins" },
};

/** Why a persona can't be deleted. @param uses such as `workflow "Digest"` */
export const explainUses = (uses: readonly string[]): string =>
  `It is used by ${uses.map((use) => `the ${use}`).join(", ")}. Choose another persona there first.`;
