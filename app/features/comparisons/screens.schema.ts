import type { CommandFacts } from "../screen-facts.schema";

export const commands = [
  {
    id: "compare-models",
    name: "Compare models",
    to: "/compare",
    icon: "Columns3",
    keywords: "side by side prompt fastest cheapest",
    needs: "chat.use",
  },
] as const satisfies readonly CommandFacts[];
