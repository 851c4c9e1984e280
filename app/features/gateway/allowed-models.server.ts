import type { Actor } from "~/core/actor";
import { canonicalId } from "~/features/models/models.service.server";

/** Matches any of a model's ids. */
export function allowedModels({ gateway }: Pick<Actor, "gateway">): (id: string) => boolean {
  const list = gateway?.models;
  if (!list) return () => true;
  const ids = new Set(list.map(canonicalId));
  return (id) => ids.has(canonicalId(id));
}
