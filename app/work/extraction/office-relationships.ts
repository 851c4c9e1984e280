import { posix } from "node:path";
import { type Parts, readXml } from "./office";

export interface Relationship {
  id: string;
  /** Last segment of the type's URI, which transitional and strict files share: `slide`, `chart`. */
  type: string;
  /** Name of a part. */
  target: string;
}

/** Lists that were read, since a slide's is looked at several times. */
const lists = new WeakMap<Parts, Map<string, Relationship[]>>();

/** Lists the parts of the same file that a part refers to. */
export function readRelationships(parts: Parts, part: string): readonly Relationship[] {
  const known = lists.get(parts) ?? new Map<string, Relationship[]>();
  lists.set(parts, known);
  const list = known.get(part) ?? readList(parts, part);
  known.set(part, list);
  return list;
}

function readList(parts: Parts, part: string): Relationship[] {
  const folder = posix.dirname(part);
  const bytes = parts.get(posix.join(folder, "_rels", `${posix.basename(part)}.rels`));
  const relationships: Relationship[] = [];
  if (!bytes) return relationships;
  readXml(bytes, {
    open(name, { Id = "", Type = "", Target = "", TargetMode }) {
      if (name !== "Relationship" || TargetMode === "External") return;
      const target = Target.startsWith("/") ? Target.slice(1) : posix.join(folder, Target);
      relationships.push({ id: Id, type: posix.basename(Type), target });
    },
  });
  return relationships;
}

/** Reads an attribute such as `r:id`, whose prefix files choose; a plain `id` means something else. */
export function relationOf(attributes: Record<string, string>, name = "id"): string {
  const key = Object.keys(attributes).find((at) => at.endsWith(`:${name}`));
  return key ? (attributes[key] ?? "") : "";
}
