import type { Draft, PartKind, PartType } from "./builder.schema";
import {
  addPart,
  changePart,
  clearDraft,
  connectionsOf,
  duplicatePart,
  findPartType,
  movePart,
  partTitle,
  removePart,
} from "./builder-draft.shared";
import { editCondition } from "./condition-rows.shared";
import { insertPart, type Spot } from "./graph-edits.shared";

type Types = readonly PartType[];

interface NamedSpot {
  /** Such as `search>digest:`. */
  value: string;
  label: string;
  spot: Spot;
}

/** The lines on which the list's form can insert a step. */
export function listSpots(draft: Draft, types: Types): NamedSpot[] {
  const titleOf = (id: string) => {
    for (const kind of ["triggers", "steps"] as const) {
      const part = draft[kind].find((one) => one.id === id);
      if (part) return partTitle(part, findPartType(types, kind, part.type));
    }
    return undefined;
  };
  return connectionsOf(draft, types).flatMap((spot) => {
    const { from, to, branch } = spot;
    const [source, target] = [titleOf(from), titleOf(to)];
    if (source === undefined || target === undefined) return [];
    return [
      {
        value: `${from}>${to}:${branch ?? ""}`,
        label: `${source}${branch ? ` (${branch})` : ""} → ${target}`,
        spot,
      },
    ];
  });
}

interface AddFields {
  type?: string | undefined;
  /** Value of one of `listSpots`; blank for the end of the list. */
  at?: string | undefined;
}

/** Applies a list button such as `up.steps.2`; `add.steps` takes its fields. Unknown operations are ignored. */
export function applyOperation(draft: Draft, operation: string, types: Types, fields: AddFields = {}): Draft {
  const [verb = "", where = "", at = "", row = ""] = operation.split(".");
  const kind: PartKind = where === "triggers" ? "triggers" : "steps";
  const index = Number(at);
  switch (verb) {
    case "add": {
      const type = findPartType(types, kind, fields.type ?? "");
      if (!type) return draft;
      const place = fields.at ? listSpots(draft, types).find(({ value }) => value === fields.at) : undefined;
      return place ? insertPart(draft, type, place.spot, types).draft : addPart(draft, type).draft;
    }
    case "remove":
      return removePart(draft, kind, index);
    case "up":
      return movePart(draft, kind, index, -1);
    case "down":
      return movePart(draft, kind, index, 1);
    case "duplicate":
      return duplicatePart(draft, kind, index);
    case "connect":
      return { ...draft, connections: [...draft.connections, { from: "", to: "" }] };
    case "disconnect":
      return { ...draft, connections: draft.connections.filter((_, row) => row !== Number(where)) };
    case "clear":
      return clearDraft(draft);
    default: {
      const part = draft[kind][index];
      return part ? changePart(draft, kind, index, editCondition(part, verb, Number(row))) : draft;
    }
  }
}
