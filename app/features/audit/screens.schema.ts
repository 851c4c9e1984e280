import type { ScreenFacts } from "../screen-facts.schema";

export const screens = [
  {
    name: "Audit",
    to: "/audit",
    icon: "Activity",
    side: 7,
    key: "8",
    letter: "a",
    keywords: "log activity security",
  },
] as const satisfies readonly ScreenFacts[];
