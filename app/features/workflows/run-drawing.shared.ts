import type { PartType } from "./builder.schema";

/** State of a node: its step's, or why it has none. */
export type NodeState =
  | "running"
  | "waiting"
  | "succeeded"
  | "failed"
  | "skipped"
  | "cancelled"
  /** The trigger that started the run. */
  | "started"
  /** Not reached yet, in a run that hasn't ended. */
  | "pending"
  | "unused";

export interface DrawnNode {
  id: string;
  title: string;
  type: string;
  kind: PartType["node"];
  x: number;
  y: number;
  state: NodeState;
  /** Key of the step's first result that the page shows; null where it has none. */
  key: string | null;
  /** Results of a step within For each; 1 or 0 for any other. */
  count: number;
  /** Time of all its results, in ms; null while it runs and where it has none. */
  took: number | null;
}

export interface DrawnLine {
  id: string;
  branch: string | null;
  /** Whether the run took it. */
  taken: boolean;
  from: { x: number; y: number };
  to: { x: number; y: number };
}

/** The graph of a run's version with the states of its nodes. Corners are in CSS pixels. */
export interface RunDrawing {
  width: number;
  height: number;
  nodes: DrawnNode[];
  lines: DrawnLine[];
}

export const NODE_SIZE = { width: 208, height: 60 };
