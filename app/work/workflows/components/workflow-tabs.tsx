import { Tabs } from "~/ui/tabs";

interface WorkflowTabsProps {
  active: "list" | "builder" | "runs";
  mayWrite: boolean;
}

export function WorkflowTabs({ active, mayWrite }: WorkflowTabsProps) {
  return (
    <div className="mb-4">
      <Tabs
        label="Workflows"
        tabs={[
          { label: "Workflows", to: "/workflows", active: active === "list" },
          ...(mayWrite
            ? [{ label: "Visual Builder", to: "/workflows/builder", active: active === "builder" }]
            : []),
          { label: "Runs", to: "/workflows/runs", active: active === "runs" },
        ]}
      />
    </div>
  );
}
