import type { Tab } from "~/ui/tabs";

export const dashboardTabs = (active: "overview" | "usage" | "budgets", mayBudget: boolean): Tab[] => [
  { label: "Overview", to: "/", active: active === "overview" },
  { label: "Usage", to: "/usage", active: active === "usage" },
  ...(mayBudget ? [{ label: "Budgets", to: "/usage/budgets", active: active === "budgets" }] : []),
];
