import type { CommandFacts, ScreenFacts } from "../screen-facts.schema";

export const screens = [
  {
    name: "Providers",
    to: "/providers",
    icon: "Cable",
    key: "6",
    letter: "m",
    keywords: "models",
    needs: "providers.manage",
  },
] as const satisfies readonly ScreenFacts[];

export const commands = [
  {
    id: "configure-provider",
    name: "Configure provider",
    to: "/providers",
    icon: "Cable",
    keywords: "set up model openai anthropic google",
    needs: "providers.manage",
  },
] as const satisfies readonly CommandFacts[];
