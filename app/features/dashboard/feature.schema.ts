import type { FeatureFacts } from "../facts.schema";

export const feature = {
  screens: [
    {
      name: "Dashboard",
      to: "/",
      icon: "LayoutDashboard",
      side: 1,
      key: "1",
      letter: "d",
      keywords: "home overview",
    },
  ],
} as const satisfies FeatureFacts;
