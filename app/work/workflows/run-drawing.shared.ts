import type { PartType } from "./builder.schema";
import type { RunState, RunStep } from "./runs.schema";

/** A step of a run as its page shows it. */
export interface ShownStep extends RunStep {
  /** A loop without a row of its own: it has no output. */
  isOpenLoop?: true;
  /** In a rerun: its output is the earlier run's. */
  isKept?: true;
}

/** The step's state, or why it has none. */
export type NodeState =
  | "running"
  | "waiting"
  | "succeeded"
  | "failed"
  | "skipped"
  | "cancelled"
  /** Kept from the earlier run. */
  | "kept"
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
  /** Results within a loop; else 0 or 1. */
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

/** States of a run for a graph that is drawn elsewhere. */
export interface RunTrace {
  id: string;
  state: RunState;
  error: string | null;
  isOpen: boolean;
  durationMs: number | null;
  /** By part; the version that ran may have other parts than the one that is edited. */
  nodes: Record<string, Pick<DrawnNode, "state" | "count" | "took">>;
  /** Ids of the lines that it took. */
  taken: string[];
}

/** How a part differs between two versions. */
export type DrawnChange = "added" | "removed" | "changed" | "moved" | "same";

export interface ChangedNode extends Pick<DrawnNode, "id" | "title" | "type" | "kind" | "x" | "y"> {
  change: DrawnChange;
  /** Of its type. */
  icon: string;
}

export interface ChangedLine extends Omit<DrawnLine, "taken"> {
  change: DrawnChange;
}

/** Graph of two versions of a workflow together. */
export interface ChangeDrawing {
  width: number;
  height: number;
  nodes: ChangedNode[];
  lines: ChangedLine[];
}

export const NODE_SIZE = { width: 208, height: 60 };

/** The element of a step's result on the run's page. */
export const stepAnchor = (key: string) => `step-${key}`;
