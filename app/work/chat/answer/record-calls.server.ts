import { calledAt, priceFor, recordedModel } from "~/ai/models/pricing.service.server";
import { type Db, groupedTransaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { callDetails } from "~/core/telemetry.server";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { recordUsage } from "~/team/usage/usage.service.server";
import type { ActiveGeneration } from "./active-generation.server";
import type { AnswerPlan, ModelCall } from "./run-answer.server";
import { usageSourceOf } from "./tool-calls.server";

export function priceOf(live: ActiveGeneration, call: ModelCall): number | null {
  const { target, inputTokens: input, outputTokens: output } = call;
  const { cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite, images } = call;
  if (!target) return null;
  const priced = { ...target, model: target.modelId };
  return priceFor(live.actor.orgId, priced, { input, output, cacheRead, cacheWrite, images });
}

/** A provider's words may quote the prompt. */
const withoutDetails = (route: RouteRecord): RouteRecord => ({
  ...route,
  attempts: route.attempts.map(({ said: _, ...attempt }) => ({ ...attempt, reason: null })),
});

export function recordCall(tx: Db, live: ActiveGeneration, plan: AnswerPlan, call: ModelCall): void {
  const { target, route, ...figures } = call;
  const { kind, ...links } = usageSourceOf(plan, live);
  recordUsage(tx, live.actor, {
    ...links,
    ...calledAt(target, route, plan.model.modelId),
    // A fallback's answer is its own model's.
    model: recordedModel(target, plan.model.modelId),
    source: kind,
    ...figures,
    details: callDetails(route),
    route: plan.source === "temporary" ? withoutDetails(route) : route,
    costMicros: priceOf(live, call),
  });
}

/** Records each finished step of an answer at once, since it is already paid for. */
export function recordSteps(live: ActiveGeneration, plan: AnswerPlan) {
  const recorded = new Set<ModelCall>();
  const records: Promise<void>[] = [];
  const onStep = (call: ModelCall) => {
    const work = (tx: Db) => recordCall(tx, live, plan, call);
    const onError = (error: unknown) =>
      log.warn("a step's usage is recorded with the answer's end", { error, messageId: live.messageId });
    records.push(groupedTransaction(work).then(() => void recorded.add(call), onError));
  };
  /** Those of the calls that aren't recorded yet. */
  const findUnrecorded = async (calls: readonly ModelCall[]) => {
    await Promise.all(records);
    return calls.filter((call) => !recorded.has(call));
  };
  return { onStep, findUnrecorded };
}
