import type { Draft, PartType } from "../../builder.schema";
import { impliedConnections } from "../../builder-draft.shared";
import { layOutGraph, type Point } from "../../graph-layout.shared";

/** Layered layout, top to bottom. */
export function layOut(draft: Draft, types: readonly PartType[]): Map<string, Point> {
  const lines = draft.connections.length > 0 ? draft.connections : impliedConnections(draft, types);
  return layOutGraph([...draft.triggers, ...draft.steps], lines);
}
