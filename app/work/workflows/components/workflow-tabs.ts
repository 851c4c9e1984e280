import type { Tab } from "~/ui/tabs";

export const workflowTabs = (active: "list" | "builder" | "runs", mayWrite: boolean): Tab[] => [
  { label: "Workflows", to: "/workflows", active: active === "list" },
  ...(mayWrite ? [{ label: "Visual Builder", to: "/workflows/builder", active: active === "builder" }] : []),
  { label: "Runs", to: "/workflows/runs", active: active === "runs" },
];
