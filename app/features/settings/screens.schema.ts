import type { ScreenFacts } from "../screen-facts.schema";

export const screens = [
  {
    name: "Settings",
    to: "/settings",
    icon: "Settings",
    side: "bottom",
    key: "9",
    letter: "s",
    keywords: "configure keys branding",
  },
] as const satisfies readonly ScreenFacts[];
