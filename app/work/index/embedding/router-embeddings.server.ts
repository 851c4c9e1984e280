import {
  callRecorded,
  listEmbeddingModels,
  type RouteTarget,
  tokensIn,
} from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { isAgreedTarget, readConsent } from "../consent/consent.server";
import { isOneOf } from "../consent/destinations.server";
import { readResponse } from "./embed-pool.server";
import type { Vectors } from "./embed-task";
import type { Embedder } from "./embedder";

type RoutedEmbedder = Embedder & { route: { via: "router" } };

/** A fallback model would use another vector space. Requires consent. */
function isAllowedTarget(orgId: string, { model, route }: RoutedEmbedder, target: RouteTarget): boolean {
  const { providerType = target.providerType, providerId = target.providerId } = route;
  return (
    target.requestedModel === model &&
    target.wire["openai-embeddings"] !== undefined &&
    target.providerType === providerType &&
    target.providerId === providerId &&
    isAgreedTarget(orgId, target)
  );
}

/** Checked here, since the router would treat it as a provider error and retry. */
function assertAgreed(orgId: string, model: string): void {
  const { agreed } = readConsent(orgId);
  if (listEmbeddingModels(orgId).some((offer) => offer.id === model && isOneOf(agreed, offer))) return;
  throw new AppError(
    "provider_missing",
    `Sending texts to a provider of "${model}" needs an admin's consent under RAG & Embedding Settings.`,
  );
}

async function embedAt(target: RouteTarget, texts: readonly string[], signal: AbortSignal): Promise<Vectors> {
  const { displayName: provider, modelId, wire } = target;
  // Not every server supports base64.
  const body = JSON.stringify({ model: modelId, input: texts, encoding_format: "float" });
  const headers = { accept: "application/json" };
  const response = await target.send(
    wire["openai-embeddings"] ?? "",
    { body, headers, signal },
    "non-streaming",
  );
  return readResponse(response, { provider, count: texts.length, signal });
}

/**
 * Requests embeddings through the router and records the usage.
 * @throws AppError with a user-facing message; the signal's reason
 */
export async function requestFromRouter(
  actor: Actor,
  embedder: RoutedEmbedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Vectors> {
  const { model, route } = embedder;
  assertAgreed(actor.orgId, model);
  const request = {
    actor,
    model,
    kind: route.kind,
    signal,
    accepts: (target: RouteTarget) => isAllowedTarget(actor.orgId, embedder, target),
    size: () => ({ input: tokensIn(...texts), output: 0 }),
  };
  const { value } = await callRecorded(
    request,
    (target, either) => embedAt(target, texts, either),
    ({ tokens }) => ({ input: tokens, output: 0 }),
  );
  return value;
}
