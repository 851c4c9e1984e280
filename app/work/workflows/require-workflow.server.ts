import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import {
  findVersion,
  findWorkflowRow,
  type WorkflowRow,
  type WorkflowWithDefinition,
} from "./workflows.repo.server";
import { WorkflowDefinition } from "./workflows.schema";

export const WORKFLOW_GONE = "Workflow not found. It may have been deleted.";

/** @throws AppError `not_found` */
export function requireWorkflow(tx: Db, orgId: string, id: string): WorkflowWithDefinition {
  const row = findWorkflowRow(tx, orgId, id);
  if (!row) throw new AppError("not_found", WORKFLOW_GONE);
  return row;
}

/** A workflow for Call Workflow. @throws AppError `not_found`, `conflict` if it is disabled */
export function requireCallable(orgId: string, id: string): WorkflowRow {
  const row = requireWorkflow(db(), orgId, id);
  if (row.enabled) return row;
  throw new AppError("conflict", `The workflow "${row.name}" is disabled. Enable it first.`);
}

/** By workflow and version, which never changes: the call of a webhook needs its own three times. */
const definitions = new Map<string, WorkflowDefinition>();
const MAX_DEFINITIONS = 500;

/** @throws AppError `not_found` */
export function definitionOf(workflowId: string, version: number): WorkflowDefinition {
  const key = `${workflowId}@${version}`;
  const cached = definitions.get(key);
  if (cached) return cached;
  const row = findVersion(db(), workflowId, version);
  if (!row) throw new AppError("not_found", `Version ${version} of the workflow was deleted.`);
  const definition = WorkflowDefinition.parse(row.definition);
  if (definitions.size >= MAX_DEFINITIONS) definitions.clear();
  definitions.set(key, definition);
  return definition;
}
