import { AppError } from "~/core/errors";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { readSetting } from "~/platform/settings/read-settings.service.server";
import { hasRequiredKey } from "../provider-call.server";
import { ProviderAttempts, type Routed, type RouteRequest } from "./attempts.server";
import { candidatesFor, routingFor } from "./candidates.server";
import { orderCandidates } from "./order.server";
import { offlineTarget, type RouteTarget, targetOf } from "./targets.server";
import { explainUnavailable, mayCall } from "./unavailable-model.server";

/** Filled in by `routeCall`, also on failure. */
export function newRouteRecord(): RouteRecord {
  return { policy: "priority", reason: "", attempts: [] };
}

function unsupportedCall(target: RouteTarget, model: string): AppError {
  return new AppError(
    "provider_rejected",
    `${target.displayName} offers "${model}", but doesn't support this kind of call. Choose another model.`,
  );
}

export async function routeCall<T>(
  request: RouteRequest,
  record: RouteRecord,
  attempt: (target: RouteTarget) => Promise<T>,
): Promise<Routed<T>> {
  const { actor, model, kind = "chat", accepts = () => true } = request;
  const enableFallback = readSetting(actor.orgId, "ai.enableFallback");
  const { policy, fallbacks } = routingFor(actor.orgId, model);
  record.policy = policy;
  const attempts = new ProviderAttempts(request, record, attempt);
  let failed: AppError | undefined;
  const others = enableFallback ? fallbacks.filter((id) => mayCall(actor, id)) : [];
  for (const id of [model, ...others]) {
    const prefix = failed
      ? `Every provider of "${model}" failed, so the fallback model "${id}" was used. `
      : "";
    if (id === OFFLINE_MODEL && kind === "chat" && accepts(offlineTarget)) {
      record.reason = `${prefix}Built-in model.`;
      record.attempts.push({
        providerId: null,
        providerType: offlineTarget.providerType,
        provider: offlineTarget.displayName,
        model: id,
        outcome: "answered",
        reason: null,
        code: null,
        durationMs: 0,
      });
      return { value: await attempt(offlineTarget), target: offlineTarget, receive: () => {}, end: () => {} };
    }
    const matching = candidatesFor(actor.orgId, id, kind);
    const accepting = matching.filter((candidate) => accepts(targetOf(candidate)));
    const available = accepting.filter(({ row, type }) => hasRequiredKey(row, type));
    // Without any key, the first provider explains the error.
    const usable = available.length > 0 ? available : accepting.slice(0, 1);
    if (usable.length === 0) {
      const [first] = matching;
      failed ??= first ? unsupportedCall(targetOf(first), id) : explainUnavailable(actor, id);
      continue;
    }
    const { candidates, reason } = orderCandidates(usable, policy);
    const result = await attempts.run(enableFallback ? candidates : candidates.slice(0, 1), reason);
    if (!("error" in result)) {
      record.reason = prefix + record.reason;
      return result;
    }
    if (result.final) throw result.error;
    failed = result.error;
  }
  throw failed ?? explainUnavailable(actor, model);
}
