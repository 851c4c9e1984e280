import type { CommandFacts, ScreenFacts } from "../screen-facts.schema";

export const screens = [
  { name: "Personas", to: "/personas", icon: "Bot", side: 5, key: "4", letter: "p", keywords: "prompts" },
] as const satisfies readonly ScreenFacts[];

export const commands = [
  {
    id: "add-persona",
    name: "Add new persona",
    to: "/personas",
    icon: "UserPlus",
    keywords: "create prompt",
    needs: "personas.write",
  },
] as const satisfies readonly CommandFacts[];
