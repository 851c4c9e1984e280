import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import type { RunRow } from "../runs.repo.server";
import { findVersion } from "../workflows.repo.server";
import { WorkflowDefinition } from "../workflows.schema";
import { type Graph, toGraph } from "./graph";

/** A version's graph never changes. */
const graphs = new Map<string, Graph>();
const MOST_GRAPHS = 500;

/** The graph that a run follows: its own version's. @throws AppError `not_found` */
export function graphOf(run: Pick<RunRow, "workflowId" | "version">): Graph {
  const key = `${run.workflowId}@${run.version}`;
  const known = graphs.get(key);
  if (known) return known;
  const row = findVersion(db(), run.workflowId, run.version);
  if (!row) throw new AppError("not_found", `Version ${run.version} of the workflow was deleted.`);
  const graph = toGraph(WorkflowDefinition.parse(row.definition));
  if (graphs.size >= MOST_GRAPHS) graphs.clear();
  graphs.set(key, graph);
  return graph;
}
