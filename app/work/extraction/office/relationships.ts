import { posix } from "node:path";
import { readXml } from "./xml";
import type { Parts } from "./zip";

export interface Relationship {
  id: string;
  type: string;
  target: string;
}

export function readRelationships(parts: Parts, part: string): Relationship[] {
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
