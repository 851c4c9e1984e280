import type { ScreenFacts } from "../screen-facts.schema";

export const screens = [
  {
    name: "Dashboard",
    to: "/",
    icon: "LayoutDashboard",
    side: 1,
    key: "1",
    letter: "d",
    covers: ["/usage"],
    keywords: "home overview usage tokens spend cost errors",
  },
] as const satisfies readonly ScreenFacts[];
