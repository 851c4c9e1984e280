import type { CommandFacts } from "../screen-facts.schema";

export const commands = [
  {
    id: "open-prompts",
    name: "Open prompt library",
    to: "/prompts",
    icon: "MessageSquare",
    keywords: "prompts templates variables",
  },
] as const satisfies readonly CommandFacts[];
