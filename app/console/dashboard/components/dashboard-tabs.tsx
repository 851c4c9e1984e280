import { Tabs } from "~/ui/tabs";

interface DashboardTabsProps {
  active: "overview" | "usage" | "budgets";
  mayBudget: boolean;
}

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
