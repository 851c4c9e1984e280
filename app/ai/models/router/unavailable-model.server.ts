import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { listProviderRows, type ProviderRow } from "../models.repo.server";
import type { ModelKind } from "../models.schema";
import { hasRequiredKey, keyOf, readConfig } from "../provider-call.server";
import { canonicalId, modelsOf } from "../provider-models.server";
import { candidatesFor, routingFor } from "./candidates.server";

function serves(row: ProviderRow, modelId: string): boolean {
  const id = canonicalId(modelId);
  return modelsOf({ row, config: readConfig(row) }).some((model) => canonicalId(model.id) === id);
}

export function mayCall({ gateway }: Pick<Actor, "gateway">, modelId: string): boolean {
  const id = canonicalId(modelId);
  return gateway?.models?.some((allowed) => canonicalId(allowed) === id) ?? true;
}

export function explainUnavailable(actor: Actor, modelId: string): AppError {
  const rows = listProviderRows(db(), actor.orgId);
  const disabled = rows.find((row) => !row.enabled && serves(row, modelId));
  if (disabled) {
    return new AppError(
      "provider_missing",
      `${disabled.displayName}, which offers "${modelId}", is disabled. Choose another model or enable it.`,
    );
  }
  // An unknown model, with or without providers: the caller's mistake.
  const message = rows.some((row) => row.enabled)
    ? `No provider offers the model "${modelId}". Choose another model.`
    : `No provider offers "${modelId}". An admin can add one under Settings › Providers, or use ${OFFLINE_MODEL}.`;
  return new AppError("provider_model", message, {
    fields: { model: [`Unknown model "${modelId}"`] },
  });
}

/** Fails fast. @throws AppError `provider_model` (unserved), `provider_missing` (disabled), `provider_key` (no key) */
export function assertModelAvailable(actor: Actor, modelId: string, kind: ModelKind = "chat"): void {
  if (!mayCall(actor, modelId)) {
    throw new AppError("provider_model", `This API token isn't allowed to call the model "${modelId}".`, {
      fields: { model: ["Not allowed"] },
    });
  }
  if (modelId === OFFLINE_MODEL && kind === "chat") return;
  const candidates = candidatesFor(actor.orgId, modelId, kind);
  const [first] = candidates;
  if (candidates.some(({ row, type }) => hasRequiredKey(row, type))) return;
  const { fallbacks } = routingFor(actor.orgId, modelId);
  if (fallbacks.some((id) => id === OFFLINE_MODEL || candidatesFor(actor.orgId, id, kind).length > 0)) return;
  if (!first) throw explainUnavailable(actor, modelId);
  keyOf(first.row, first.type);
}
