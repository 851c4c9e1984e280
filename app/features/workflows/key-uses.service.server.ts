import { db } from "~/core/db.server";
import type { KeyUse } from "~/features/keys/key-use.shared";
import { listWorkflowRows } from "./workflows.repo.server";

/** Workflows read at most; beyond that the newest count. */
const MOST = 2000;

/** The texts in a definition that may be ids of keys. */
function* idsIn(value: unknown): Generator<string> {
  if (typeof value === "string") {
    if (value.startsWith("key_")) yield value;
  } else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* idsIn(part);
}

/** The keys that steps and triggers of the current versions name, whatever field they stand in. */
export function workflowKeyUses(orgId: string): KeyUse[] {
  return listWorkflowRows(db(), orgId, MOST).flatMap(({ id, name, definition }) =>
    [...new Set(idsIn(definition))].map((keyId) => ({
      keyId,
      kind: "Workflow",
      name,
      to: `/workflows/${id}`,
    })),
  );
}
