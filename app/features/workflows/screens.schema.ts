import type { CommandFacts, ScreenFacts } from "../screen-facts.schema";

export const screens = [
  {
    name: "Workflows",
    to: "/workflows",
    icon: "Workflow",
    side: 3,
    key: "3",
    letter: "w",
    keywords: "automation",
  },
] as const satisfies readonly ScreenFacts[];

export const commands = [
  {
    id: "new-workflow",
    name: "Create new workflow",
    to: "/workflows",
    icon: "Workflow",
    key: "n",
    letter: "n",
    keywords: "add automation",
    needs: "workflows.write",
  },
] as const satisfies readonly CommandFacts[];
