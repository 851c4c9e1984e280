import { type ModelKind, OFFLINE_MODEL } from "./models.schema";
import { isCallable } from "./provider-call.server";
import { offline } from "./providers/offline.provider.server";
import { readRoutings } from "./router/routing.server";
import { enabledProviders, servedModels } from "./serving.server";

/** A model as programs are told of it. */
export interface CallableModel {
  id: string;
  kind: ModelKind;
  /** Type of the first provider that serves it. */
  ownedBy: string;
  /** Since when that provider is known, in milliseconds. */
  since: number;
}

/** Every id that a call can name now: what the enabled providers serve, what admins route, and the built-in model. */
export function listCallable(orgId: string): CallableModel[] {
  const models = new Map<string, CallableModel>();
  const add = (model: CallableModel) => {
    if (!models.has(model.id)) models.set(model.id, model);
  };
  const serving = enabledProviders(orgId).filter(({ row, type }) => isCallable(row, type));
  for (const one of serving) {
    for (const { id, kind } of servedModels(one))
      add({ id, kind: kind ?? "chat", ownedBy: one.type.value, since: one.row.createdAt });
  }
  for (const [id, { targets }] of readRoutings(orgId)) {
    const first = serving.find(({ row }) => targets.some(({ providerId }) => providerId === row.id));
    if (first) add({ id, kind: "chat", ownedBy: first.type.value, since: first.row.createdAt });
  }
  add({ id: OFFLINE_MODEL, kind: "chat", ownedBy: offline.value, since: 0 });
  return [...models.values()];
}
