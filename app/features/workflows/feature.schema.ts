import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "workflows.write": { least: "member", scope: "Create, edit and run workflows" },
  },
  audit: {
    "workflow.executed": "Ran the workflow {workflowName}",
  },
  screens: [
    {
      name: "Workflows",
      to: "/workflows",
      icon: "Workflow",
      side: 3,
      key: "3",
      letter: "w",
      keywords: "automation",
    },
  ],
  commands: [
    {
      id: "new-workflow",
      name: "Create new workflow",
      to: "/workflows",
      icon: "Workflow",
      key: "n",
      letter: "n",
      keywords: "add automation",
      needs: "workflows.write",
    },
  ],
} as const satisfies FeatureFacts;
