import type { Actor } from "~/core/actor";
import { programModelId } from "~/features/models/program-models.service.server";

/** What a token may call, whichever of a model's ids its list has and the call names. */
export function allowedModels({ gateway }: Pick<Actor, "gateway">): (id: string) => boolean {
  const list = gateway?.models;
  if (!list) return () => true;
  const ids = new Set(list.map(programModelId));
  return (id) => ids.has(programModelId(id));
}
