import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import type { RunRow } from "../runs.repo.server";
import { findVersion } from "../workflows.repo.server";
import { WorkflowDefinition } from "../workflows.schema";
import { type Graph, toGraph } from "./graph";

type VersionKey = Pick<RunRow, "workflowId" | "version">;

interface CachedVersion {
  graph: Graph;
  triggers: WorkflowDefinition["triggers"];
}

const versions = new Map<string, CachedVersion>();
const MAX_VERSIONS = 500;

function readVersion({ workflowId, version }: VersionKey): CachedVersion {
  const key = `${workflowId}@${version}`;
  const cached = versions.get(key);
  if (cached) return cached;
  const row = findVersion(db(), workflowId, version);
  if (!row) throw new AppError("not_found", `Version ${version} of the workflow was deleted.`);
  const definition = WorkflowDefinition.parse(row.definition);
  const entry = { graph: toGraph(definition), triggers: definition.triggers };
  if (versions.size >= MAX_VERSIONS) versions.clear();
  versions.set(key, entry);
  return entry;
}

/** @throws AppError `not_found` */
export const graphOf = (run: VersionKey): Graph => readVersion(run).graph;

export const triggersOf = (version: VersionKey): WorkflowDefinition["triggers"] =>
  readVersion(version).triggers;
