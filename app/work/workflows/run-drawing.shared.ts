import type { PartType } from "./builder.schema";

/** The step's state, or why it has none. */
export type NodeState =
  | "running"
  | "waiting"
  | "succeeded"
  | "failed"
  | "skipped"
  | "cancelled"
  /** This trigger started the run. */
  | "started"
  /** Not reached yet. */
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
  /** First displayed result; null without one. */
  key: string | null;
  /** Results within For each; else 0 or 1. */
  count: number;
  /** Total in ms; null if running or not run. */
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

/** Graph with node states; corners in CSS pixels. */
export interface RunDrawing {
  width: number;
  height: number;
  nodes: DrawnNode[];
  lines: DrawnLine[];
}

export const NODE_SIZE = { width: 208, height: 60 };
