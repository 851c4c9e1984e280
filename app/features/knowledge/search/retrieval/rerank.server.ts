import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { listServingEndpoints } from "~/features/models/embedding-models.service.server";
import {
  newRouteRecord,
  type RouteTarget,
  routeCall,
  tokensIn,
} from "~/features/models/router.service.server";
import { recordUsage } from "~/features/usage/usage.service.server";
import { isAgreed, isAgreedTarget } from "../../index/consent/consent.server";
import { withDeadline } from "../../index/embedding/deadline.server";
import { systemActor } from "../../index/system-actor.server";
import { orderByScore, RERANK_INSTRUCTIONS, readJudgement, rerankPrompt } from "./rerank-answer";
import type { FoundPassage } from "./search-task";

/** Passages sent to the model. */
export const RERANKED = 20;
/** Time limit of reranking (ms). */
const RERANK_TIME = 10_000;

/** In tokens. */
const LONGEST_ANSWER = 2000;

type Asked = { text: string; inputTokens?: number | undefined; outputTokens?: number | undefined };

async function ask(target: RouteTarget, prompt: string, abortSignal: AbortSignal): Promise<Asked> {
  const { content, usage } = await target.languageModel("whole").doGenerate({
    prompt: [
      { role: "system", content: RERANK_INSTRUCTIONS },
      { role: "user", content: [{ type: "text", text: prompt }] },
    ],
    maxOutputTokens: LONGEST_ANSWER,
    temperature: 0,
    abortSignal,
  });
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  return { text, inputTokens: usage.inputTokens.total, outputTokens: usage.outputTokens.total };
}

/** Requires consent, since new providers may serve the same model. */
function assertAgreed(orgId: string, model: string): void {
  const endpoints = listServingEndpoints(orgId, model, "chat");
  if (endpoints.length === 0 || endpoints.some((endpoint) => isAgreed(orgId, { ...endpoint, model }))) return;
  throw new AppError(
    "provider_missing",
    `Sending passages to a provider of "${model}" needs an admin's consent. Choose the reranking model again.`,
  );
}

async function askRouted(orgId: string, model: string, prompt: string, signal: AbortSignal): Promise<string> {
  assertAgreed(orgId, model);
  const actor = systemActor(orgId);
  const record = newRouteRecord();
  const started = performance.now();
  const note = (target: RouteTarget | undefined, asked?: Asked, error?: unknown) => {
    const last = record.attempts.at(-1);
    if (!target && !last) return;
    transaction((tx) =>
      recordUsage(tx, actor, {
        providerId: target?.providerId ?? last?.providerId ?? null,
        providerType: target?.providerType ?? last?.providerType ?? "",
        ...(target ? { pricing: target.pricing, requestedModel: target.servedAs } : {}),
        model: target?.modelId ?? model,
        inputTokens: asked?.inputTokens,
        outputTokens: asked?.outputTokens,
        durationMs: performance.now() - started,
        outcome: target ? "ok" : signal.aborted ? "stopped" : "error",
        errorCode: error instanceof AppError ? error.code : null,
        source: "knowledge",
        route: record,
      }),
    );
  };
  try {
    // Only destinations with consent. The built-in model can't rerank.
    const accepts = (target: RouteTarget) => isAgreedTarget(orgId, target);
    const size = () => ({ input: tokensIn(prompt, RERANK_INSTRUCTIONS), output: LONGEST_ANSWER });
    const routed = await routeCall({ actor, model, signal, accepts, size }, record, (target) =>
      ask(target, prompt, signal),
    );
    const { inputTokens: input, outputTokens: output } = routed.value;
    routed.end({ outcome: "ok", tokens: { input, output } });
    note(routed.target, routed.value);
    return routed.value.text;
  } catch (error) {
    note(undefined, undefined, error);
    throw signal.aborted ? signal.reason : error;
  }
}

interface RankedPassage extends FoundPassage {
  rerank: { rank: number; score: number } | null;
}

export interface Reranked {
  passages: RankedPassage[];
  notice: string | null;
}

/** Passages by score; unscored ones last. */
function order(found: readonly FoundPassage[], scores: ReadonlyMap<number, number>): RankedPassage[] {
  return orderByScore(scores, found.length).flatMap((position, index) => {
    const passage = found[position];
    const score = scores.get(position);
    if (!passage) return [];
    return { ...passage, score: score ?? 0, rerank: score === undefined ? null : { rank: index + 1, score } };
  });
}

/**
 * Reranks the first passages with a chat model. On failure they keep their order.
 * @throws the signal's reason
 */
export async function rerank(
  orgId: string,
  model: string,
  query: string,
  found: readonly FoundPassage[],
  signal?: AbortSignal,
): Promise<Reranked> {
  const shown = found.slice(0, RERANKED);
  const unranked = found.map((passage): RankedPassage => ({ ...passage, rerank: null }));
  if (shown.length < 2) return { passages: unranked, notice: null };
  const late = `${model} took longer than ${RERANK_TIME / 1000} seconds.`;
  try {
    const prompt = rerankPrompt(query, shown);
    const answer = await withDeadline(
      RERANK_TIME,
      signal,
      (ending) => askRouted(orgId, model, prompt, ending),
      late,
    );
    const scores = readJudgement(answer, shown.length);
    if (!scores) throw new AppError("provider_unavailable", `${model} returned no valid scores.`);
    return { passages: order(found, scores), notice: null };
  } catch (error) {
    if (!(error instanceof AppError) || signal?.aborted) throw error;
    return {
      passages: unranked,
      notice: `Results aren't reranked. ${error.message}`,
    };
  }
}
