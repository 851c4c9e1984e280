import { assertUnchangedSince } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import type { WorkflowRow } from "./workflows.repo.server";
import type { WorkflowDefinition, WorkflowPatch } from "./workflows.schema";

const LABELS = { name: "Name", description: "Description" };
const PART_LABELS = { triggers: "Triggers", steps: "Steps", connections: "Connections" };

interface Edited {
  row: WorkflowRow;
  before: WorkflowDefinition;
  /** With the patch. */
  definition: WorkflowDefinition;
  patch: WorkflowPatch;
}

/** Serialized as stored, so that absent and undefined are equal. */
const textsOf = ({ triggers, steps, connections }: WorkflowDefinition) => ({
  triggers: JSON.stringify(triggers),
  steps: JSON.stringify(steps),
  connections: JSON.stringify(connections),
});

/**
 * Changes of the name, the description and `enabled` create no version; `updatedAt` detects them.
 * @throws AppError `conflict` if the patch would replace what was saved since
 */
export function assertCurrent({ row, before, definition, patch }: Edited): void {
  const { version, updatedAt, name, description } = patch;
  const isCurrent = version === row.version;
  if (version !== undefined && updatedAt === undefined && !isCurrent)
    throw new AppError(
      "conflict",
      `This workflow has changed since you opened it. Reload version ${row.version} and try again.`,
    );
  const labels = { ...LABELS, ...(isCurrent ? {} : PART_LABELS) };
  const saved = {
    ...textsOf(before),
    name: row.name,
    description: row.description,
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
  const entered = { ...textsOf(definition), name, description };
  assertUnchangedSince(updatedAt, { noun: "workflow", labels, saved, entered, ignoresOtherFields: true });
}
