import type { WorkflowDefinition } from "../workflows.schema";

/** A workflow to begin with: it runs as it is, with the organization's default model. */
export interface WorkflowTemplate extends WorkflowDefinition {
  /** Stays the same for good: addresses name it. */
  id: string;
  name: string;
  description: string;
  /** What has to be set up before it can run; nothing without it. */
  needs?: "email" | "internet";
}
