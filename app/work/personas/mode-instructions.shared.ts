import type { Mode } from "./personas.schema";

export const MODE_INSTRUCTIONS: Record<Mode, string> = {
  default: "",
  research: "Use your tools to research before you answer. Compare and name your sources.",
  operations: "Be brief and exact. Announce each change before you make it, and report the result.",
  development: "Answer with complete, correct code in fenced blocks that name their language.",
};
