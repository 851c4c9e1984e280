import type { WorkflowDefinition } from "../workflows.schema";

export interface WorkflowTemplate extends WorkflowDefinition {
  /** Permanent, as links use it. */
  id: string;
  name: string;
  description: string;
  /** Required setup. */
  needs?: "email" | "internet";
}
