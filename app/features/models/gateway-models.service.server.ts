import { availableModels } from "./available-models.server";
import { OFFLINE_MODEL } from "./models.schema";
import { offline } from "./providers/offline.provider.server";
import { canonicalId } from "./serving.server";

export interface ModelForGateway {
  id: string;
  /** Type of the first provider that serves it. */
  ownedBy: string;
  /** When its provider was added, in ms. */
  since: number;
}

export function listModelsForGateway(orgId: string): ModelForGateway[] {
  const models = availableModels(orgId).map(({ id, serving: { row, type } }) => ({
    id,
    ownedBy: type.value,
    since: row.createdAt,
  }));
  return [...models, { id: OFFLINE_MODEL, ownedBy: offline.value, since: 0 }];
}

export function gatewayModelId(id: string): string {
  return canonicalId(id);
}
