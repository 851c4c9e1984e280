import type { ScreenFacts } from "../screen-facts.schema";

export const screens = [
  {
    name: "Extensions",
    to: "/extensions",
    icon: "Puzzle",
    side: 4,
    key: "7",
    letter: "e",
    keywords: "plugins marketplace",
  },
] as const satisfies readonly ScreenFacts[];
