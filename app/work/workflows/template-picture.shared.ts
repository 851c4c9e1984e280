import type { PartType } from "./builder.schema";

/** A part is a square, in the picture's own units. */
export const PART_SIZE = 28;

/** A small graph from left to right, without words. */
export interface TemplatePicture {
  width: number;
  height: number;
  nodes: { id: string; icon: string; kind: PartType["node"]; x: number; y: number }[];
  lines: { id: string; from: { x: number; y: number }; to: { x: number; y: number } }[];
}
