import type { Actor } from "~/core/actor";
import { cachedByConfig } from "~/core/config-cache.server";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { atLeast } from "~/platform/rights/authorization.server";
import { groupIdsOf, listGroupNames } from "~/team/members/groups.service.server";
import { listLimitedModels, listProviderRows, type ProviderRow } from "../models.repo.server";
import { canonicalId, hasRequiredKey, keyOf, modelsOf } from "../provider-entry.server";
import { candidatesFor, routingFor } from "./candidates.server";

// Who may call which model, and whether somebody serves it.

/** The groups that a model is limited to, by its canonical id. */
const limitsOf = cachedByConfig<ReadonlyMap<string, readonly string[]>>(
  ["models"],
  (orgId) =>
    new Map(listLimitedModels(db(), orgId).map((row) => [canonicalId(row.modelId), row.groups ?? []])),
);

type Caller = Pick<Actor, "orgId" | "userId" | "role" | "gateway">;

/** Matches the models that are limited to groups of which the caller is in none. Admins may call all. */
function closedModels({ orgId, userId, role }: Caller): (modelId: string) => readonly string[] | undefined {
  const limits = limitsOf(orgId);
  if (limits.size === 0 || atLeast(role, "admin")) return () => undefined;
  const own = new Set(groupIdsOf(userId));
  return (modelId) => {
    const groups = limits.get(canonicalId(modelId));
    return groups?.some((id) => own.has(id)) ? undefined : groups;
  };
}

/**
 * Matches the models that the caller may call, by any of their ids: those of a token's list, and those that are limited
 * to no group or to one of the person's. What both depend on is read once, for all of them.
 */
export function allowedModels(caller: Caller): (modelId: string) => boolean {
  const closed = closedModels(caller);
  const { gateway } = caller;
  const ids = gateway?.models && new Set(gateway.models.map(canonicalId));
  return (modelId) => closed(modelId) === undefined && (!ids || ids.has(canonicalId(modelId)));
}

/** @throws AppError `provider_model` for a model that the token or the person may not call */
export function assertMayCall(actor: Actor, modelId: string): void {
  if (allowedModels(actor)(modelId)) return;
  const groups = closedModels(actor)(modelId);
  throw new AppError(
    "provider_model",
    groups
      ? explainLimit(actor, modelId, groups)
      : `This API token isn't allowed to call the model "${modelId}".`,
    { fields: { model: ["Not allowed"] } },
  );
}

function explainLimit(actor: Actor, modelId: string, ids: readonly string[]): string {
  const names = listGroupNames(actor).flatMap(({ id, name }) => (ids.includes(id) ? [name] : []));
  const whom =
    names.length === 0 ? "admins" : `${names.length === 1 ? "the group" : "the groups"} ${names.join(", ")}`;
  return `The model "${modelId}" is limited to ${whom}. Choose another model, or ask an admin to add you.`;
}

/** Why nobody serves it. */
export function explainUnavailable(actor: Actor, modelId: string): AppError {
  const rows = listProviderRows(db(), actor.orgId);
  const serves = (row: ProviderRow) =>
    modelsOf(row).some((model) => canonicalId(model.id) === canonicalId(modelId));
  const disabled = rows.find((row) => !row.enabled && serves(row));
  if (disabled) {
    return new AppError(
      "provider_missing",
      `${disabled.displayName}, which offers "${modelId}", is disabled. Choose another model or enable it.`,
    );
  }
  if (rows.some((row) => row.enabled && serves(row)))
    return new AppError(
      "provider_model",
      `The model "${modelId}" can't be used for this, as it is of another kind. Choose another model.`,
      { fields: { model: ["Of another kind"] } },
    );
  // An unknown model is the caller's mistake, with or without providers.
  const message = rows.some((row) => row.enabled)
    ? `No provider offers the model "${modelId}". Choose another model.`
    : `No provider offers "${modelId}". An admin can add one under Settings › Providers, or use ${OFFLINE_MODEL}.`;
  return new AppError("provider_model", message, {
    fields: { model: [`Unknown model "${modelId}"`] },
  });
}

/** Fails fast. @throws AppError `provider_model` (unserved), `provider_missing` (disabled), `provider_key` (no key) */
export function assertModelAvailable(actor: Actor, modelId: string): void {
  assertMayCall(actor, modelId);
  assertServed(actor, modelId);
}

/** Whoever asks. @throws AppError as `assertModelAvailable` */
export function assertServed(actor: Actor, modelId: string): void {
  if (modelId === OFFLINE_MODEL) return;
  const candidates = candidatesFor(actor.orgId, modelId, "chat");
  const [first] = candidates;
  if (candidates.some(hasRequiredKey)) return;
  const { fallbacks } = routingFor(actor.orgId, modelId);
  if (fallbacks.some((id) => id === OFFLINE_MODEL || candidatesFor(actor.orgId, id, "chat").length > 0))
    return;
  if (!first) throw explainUnavailable(actor, modelId);
  keyOf(first);
}
