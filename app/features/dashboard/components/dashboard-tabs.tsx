import { Tabs } from "~/ui/tabs";

/** The dashboard's tabs, each with its own address. */
export function DashboardTabs({ active }: { active: "overview" | "usage" }) {
  return (
    <div className="mb-4">
      <Tabs
        label="Dashboard"
        tabs={[
          { label: "Overview", to: "/", active: active === "overview" },
          { label: "Usage", to: "/usage", active: active === "usage" },
        ]}
      />
    </div>
  );
}
