import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { plausibleCount, recordUsage, type UsageInput } from "~/team/usage/usage.service.server";
import { priceFor } from "./pricing.service.server";

export interface ModelCall extends Omit<UsageInput, "costMicros"> {
  /** Price list (`ResolvedModel.pricing`); by type if absent. */
  pricing?: string | null | undefined;
  /** Requested id, if different (`RouteTarget.requestedModel`). */
  requestedModel?: string | undefined;
  /** Cache reads and writes, parts of the input. */
  cacheReadTokens?: number | null | undefined;
  cacheWriteTokens?: number | null | undefined;
}

/** Records a call with its price, within the answer's transaction. @returns the usage record's id */
export function recordCall(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "requestId">,
  call: ModelCall,
): string {
  const costMicros = priceFor(actor.orgId, call, {
    input: plausibleCount(call.inputTokens),
    output: plausibleCount(call.outputTokens),
    cacheRead: plausibleCount(call.cacheReadTokens),
    cacheWrite: plausibleCount(call.cacheWriteTokens),
  });
  return recordUsage(tx, actor, { ...call, costMicros });
}
