import type { Tone } from "~/ui/badge";
import type { Mode, PersonaApproval, PersonaVisibility } from "../personas.schema";

export const MODE_VARIANTS: Record<Mode, { label: string; tone: Tone; hint: string }> = {
  default: { label: "Default", tone: "neutral", hint: "for any task" },
  research: { label: "Research", tone: "info", hint: "finding and comparing sources" },
  operations: { label: "Operations", tone: "warning", hint: "running and monitoring systems" },
  development: { label: "Development", tone: "secondary", hint: "writing and reviewing code" },
};

export const APPROVAL_LABELS: Record<PersonaApproval, string> = {
  default: "Same as any chat",
  ask: "Ask before every write or external call",
  organisation: "Follow the organization's tool policies",
};

export const VISIBILITY_LABELS: Record<PersonaVisibility, { label: string; hint: string }> = {
  everyone: { label: "Everyone", hint: "All members of the organization" },
  groups: { label: "Groups", hint: "Members of the chosen groups, you and admins" },
  own: { label: "Only me", hint: "You and admins" },
};
