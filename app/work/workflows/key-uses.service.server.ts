import { db } from "~/core/db.server";
import type { KeyUse } from "~/team/keys/keys.shared";
import { listWorkflowRows } from "./workflows.repo.server";

/** Maximum workflows, newest first. */
const MAX_WORKFLOWS = 2000;

/** Texts that may be key ids. */
function* idsIn(value: unknown): Generator<string> {
  if (typeof value === "string") {
    if (value.startsWith("key_")) yield value;
  } else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* idsIn(part);
}

/** Keys in current versions, in any field. */
export function workflowKeyUses(orgId: string): KeyUse[] {
  return listWorkflowRows(db(), orgId, MAX_WORKFLOWS).flatMap(({ id, name, definition }) =>
    [...new Set(idsIn(definition))].map((keyId) => ({
      keyId,
      kind: "Workflow",
      name,
      to: `/workflows/${id}`,
    })),
  );
}
