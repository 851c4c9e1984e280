import { canonicalId } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";

/** Matches any of a model's ids. */
export function allowedModels({ gateway }: Pick<Actor, "gateway">): (id: string) => boolean {
  const list = gateway?.models;
  if (!list) return () => true;
  const ids = new Set(list.map(canonicalId));
  return (id) => ids.has(canonicalId(id));
}
