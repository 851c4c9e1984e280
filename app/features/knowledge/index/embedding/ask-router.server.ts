import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { listEmbeddingOffers } from "~/features/models/embedding-models.service.server";
import {
  newRouteRecord,
  type RouteTarget,
  routeCall,
  tokensIn,
} from "~/features/models/router.service.server";
import { recordUsage } from "~/features/usage/usage.service.server";
import { isAgreedTarget, readConsent } from "../consent/consent.server";
import { isOneOf } from "../consent/destinations.server";
import type { Embedder } from "./embedder";
import { readResponse } from "./read-response.server";
import type { Vectors } from "./read-vectors";

type RoutedEmbedder = Embedder & { route: { via: "router" } };

/** A fallback model would use another vector space. Requires consent. */
function canTake(orgId: string, { model, route }: RoutedEmbedder, target: RouteTarget): boolean {
  const { providerType = target.providerType, providerId = target.providerId } = route;
  return (
    target.servedAs === model &&
    target.wire["openai-embeddings"] !== undefined &&
    target.providerType === providerType &&
    target.providerId === providerId &&
    isAgreedTarget(orgId, target)
  );
}

/** Checked here, since the router would treat it as a provider error and retry. */
function assertAgreed(orgId: string, model: string): void {
  const { agreed } = readConsent(orgId);
  if (listEmbeddingOffers(orgId).some((offer) => offer.id === model && isOneOf(agreed, offer))) return;
  throw new AppError(
    "provider_missing",
    `Sending texts to a provider of "${model}" needs an admin's consent under RAG & Embedding Settings.`,
  );
}

async function ask(target: RouteTarget, texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
  const { displayName: provider, modelId, wire } = target;
  // Not every server supports base64.
  const body = JSON.stringify({ model: modelId, input: texts, encoding_format: "float" });
  const headers = { accept: "application/json" };
  const response = await target.send(wire["openai-embeddings"] ?? "", { body, headers, signal }, "whole");
  return readResponse(response, { provider, count: texts.length, signal });
}

/**
 * Requests embeddings through the router, with its retries, fallbacks and limits, and records the usage.
 * @throws AppError with a user-facing message; the signal's reason
 */
export async function askRouter(
  actor: Actor,
  embedder: RoutedEmbedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Vectors> {
  const record = newRouteRecord();
  const started = performance.now();
  const { model, route } = embedder;
  assertAgreed(actor.orgId, model);
  const note = (
    target: RouteTarget | undefined,
    result: { tokens?: number | undefined; error?: unknown },
  ) => {
    const last = record.attempts.at(-1);
    if (!target && !last) return;
    const stopped = signal.aborted;
    transaction((tx) =>
      recordUsage(tx, actor, {
        providerId: target?.providerId ?? last?.providerId ?? null,
        providerType: target?.providerType ?? last?.providerType ?? "",
        ...(target ? { pricing: target.pricing, requestedModel: target.servedAs } : {}),
        model: target?.modelId ?? model,
        inputTokens: result.tokens,
        outputTokens: target ? 0 : undefined,
        durationMs: performance.now() - started,
        outcome: target ? "ok" : stopped ? "stopped" : "error",
        errorCode: result.error instanceof AppError ? result.error.code : null,
        source: "knowledge",
        route: record,
      }),
    );
  };
  try {
    const request = {
      actor,
      model,
      kind: route.kind,
      signal,
      accepts: (target: RouteTarget) => canTake(actor.orgId, embedder, target),
      size: () => ({ input: tokensIn(...texts), output: 0 }),
    };
    const routed = await routeCall(request, record, (target) => ask(target, texts, signal));
    routed.end({ outcome: "ok", tokens: { input: routed.value.tokens, output: 0 } });
    note(routed.target, { tokens: routed.value.tokens });
    return routed.value;
  } catch (error) {
    note(undefined, { error });
    throw signal.aborted ? signal.reason : error;
  }
}
