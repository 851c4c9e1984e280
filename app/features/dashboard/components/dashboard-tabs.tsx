import { Tabs } from "~/ui/tabs";

interface DashboardTabsProps {
  active: "overview" | "usage" | "budgets";
  /** Whether the budgets are offered. */
  mayBudget: boolean;
}

/** The dashboard's tabs, each with its own address. */
export function DashboardTabs({ active, mayBudget }: DashboardTabsProps) {
  return (
    <div className="mb-4">
      <Tabs
        label="Dashboard"
        tabs={[
          { label: "Overview", to: "/", active: active === "overview" },
          { label: "Usage", to: "/usage", active: active === "usage" },
          ...(mayBudget ? [{ label: "Budgets", to: "/usage/budgets", active: active === "budgets" }] : []),
        ]}
      />
    </div>
  );
}
