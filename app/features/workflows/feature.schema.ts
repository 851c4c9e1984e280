import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "workflows.write": { minRole: "member", scope: "Create, edit and run workflows" },
  },
  audit: {
    "workflow.created": "Created the workflow {workflowName}",
    "workflow.updated": "Changed the workflow {workflowName}",
    "workflow.enabled": "Enabled the workflow {workflowName}",
    "workflow.disabled": "Disabled the workflow {workflowName}",
    "workflow.deleted": "Deleted the workflow {workflowName}",
    "workflow.taken_over": "Took over the workflow {workflowName}",
    "workflow.webhook_rotated": "Changed the webhook address of {workflowName}",
    "workflow.executed": "Ran the workflow {workflowName}",
    "workflow.run_cancelled": "Canceled a run of {workflowName}",
    "workflow.run_retried": "Retried a run of {workflowName}",
    "workflow.step_approved": "Approved a step of {workflowName}",
    "workflow.step_refused": "Refused a step of {workflowName}",
    "workflow.step_tried": "Tried the step {step} of {workflowName}",
    "workflow.link_created": "Created an approval link for {recipient} to a step of {workflowName}",
    "workflow.link_approved": "Approved a step of {workflowName} through a link for {recipient}",
    "workflow.link_refused": "Refused a step of {workflowName} through a link for {recipient}",
  },
  topics: { workflows: "screens.read" },
} as const satisfies FeatureFacts;
