import { setTimeout as delay } from "node:timers/promises";
import { startSpending, tokensIn } from "~/ai/models/models.service.server";
import { recordCall } from "~/ai/models/pricing.service.server";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { providerBackoff } from "~/core/durations";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { readSetting } from "~/platform/settings/settings.service.server";
import { keyFor } from "~/team/keys/keys.service.server";
import { isAgreed } from "../consent/consent.server";
import { LITELLM } from "../consent/destinations.server";
import { readResponse } from "./embed-pool.server";
import type { Vectors } from "./embed-task";
import type { Embedder } from "./embedder";

const PROVIDER = "LiteLLM";
const MAX_BYTES = 64 * 1024 * 1024;

type LiteLlmEmbedder = Embedder & { route: { via: "litellm" } };

function toFailure(status: number, model: string): AppError {
  if (status === 401 || status === 403)
    return new AppError(
      "provider_key",
      `${PROVIDER} rejected the key. Check the key reference and its environment variable.`,
    );
  if (status === 404)
    return new AppError(
      "provider_model",
      `${PROVIDER} doesn't offer "${model}". Choose another embedding model.`,
    );
  if (status === 429)
    return new AppError("rate_limited", `${PROVIDER} reached its rate limit. Try again later.`);
  if (status === 408 || status >= 500)
    return new AppError(
      "provider_unavailable",
      `${PROVIDER} returned an error (HTTP ${status}). Try again later.`,
    );
  return new AppError(
    "provider_rejected",
    `${PROVIDER} rejected the request for "${model}" (HTTP ${status}).`,
  );
}

const canRetry = ({ code }: AppError) =>
  code === "rate_limited" || code === "provider_unavailable" || code === "provider_timeout";

function requireKey(orgId: string, origin: string): string {
  const key = keyFor(orgId, { kind: "litellm", origin });
  if (key) return key;
  throw new AppError(
    "provider_key",
    `The key reference for ${PROVIDER} was removed. Add it again under Settings › API Keys.`,
  );
}

async function requestOnce(
  { model, route: { origin } }: LiteLlmEmbedder,
  key: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Vectors> {
  // A redirect could send the texts to another host.
  const fetch = guardedFetch("embedding:litellm", {
    allowOrigins: [origin],
    maxBytes: MAX_BYTES,
    maxRedirects: 0,
    sendsTrace: true,
  });
  const response = await fetch(`${origin}/v1/embeddings`, {
    method: "POST",
    body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      authorization: `Bearer ${key}`,
    },
    signal,
  });
  if (response.ok) return readResponse(response, { provider: PROVIDER, count: texts.length, signal });
  await response.body?.cancel();
  throw toFailure(response.status, model);
}

/**
 * Requests embeddings from a LiteLLM that is only a key reference. Retries transient errors.
 * @throws AppError with a user-facing message; the signal's reason
 */
export async function requestFromLiteLlm(
  actor: Actor,
  embedder: LiteLlmEmbedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Vectors> {
  const { model, route } = embedder;
  if (!isAgreed(actor.orgId, { providerId: LITELLM, origin: route.origin, model })) {
    throw new AppError(
      "provider_missing",
      `Sending texts to ${PROVIDER} at ${route.origin} needs an admin's consent under RAG & Embedding Settings.`,
    );
  }
  const started = performance.now();
  const record = (tokens: number | undefined, error?: AppError) => {
    transaction((tx) =>
      recordCall(tx, actor, {
        providerId: null,
        providerType: "litellm",
        model,
        inputTokens: tokens,
        outputTokens: error ? undefined : 0,
        durationMs: performance.now() - started,
        outcome: error ? "error" : "ok",
        errorCode: error?.code ?? null,
        source: "knowledge",
      }),
    );
  };
  const spending = startSpending({
    actor,
    priced: { model, providerId: null, providerType: "litellm" },
    size: () => ({ input: tokensIn(...texts), output: 0 }),
  });
  const retryAttempts = readSetting(actor.orgId, "ai.retryAttempts");
  try {
    for (let attempt = 0; ; attempt++) {
      // At each attempt, since the reference may be removed during the delay.
      const key = requireKey(actor.orgId, route.origin);
      try {
        const vectors = await requestOnce(embedder, key, texts, signal);
        spending.settle({ input: vectors.tokens, output: 0 });
        record(vectors.tokens);
        return vectors;
      } catch (error) {
        if (signal.aborted || !(error instanceof AppError)) throw error;
        if (!canRetry(error) || attempt >= retryAttempts) {
          record(undefined, error);
          throw error;
        }
      }
      await delay(providerBackoff(attempt), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } catch (error) {
    spending.release();
    throw error;
  }
}
