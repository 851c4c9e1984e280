import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { type ModelCall, recordCall } from "./pricing.service.server";
import type { RouteRequest } from "./router/attempts.server";
import { newRouteRecord, routeCall } from "./router/open-model.server";
import type { RouteTarget } from "./router/targets.server";

interface Tokens {
  input?: number | undefined;
  output?: number | undefined;
  /** What rerankers count. */
  searchUnits?: number | undefined;
  /** That were made. */
  images?: number | undefined;
  /** Whether the console counted them. */
  estimated?: boolean;
}

/** Without a source it is a chat's, or that of the workflow within which it is made. */
type Source = Pick<ModelCall, "source" | "conversationId" | "messageId" | "tokenId">;

/** Calls a model through the router, with its retries and limits, and records the usage. @throws as `routeCall` */
export async function callRecorded<T>(
  request: RouteRequest & { signal: AbortSignal },
  attempt: (target: RouteTarget) => Promise<T>,
  tokensOf: (value: T) => Tokens,
  source: Source = { source: "knowledge" },
): Promise<T> {
  const { actor, model, signal } = request;
  const record = newRouteRecord();
  const started = performance.now();
  const note = (
    target: RouteTarget | undefined,
    { input, output, searchUnits, images, estimated }: Tokens,
    error?: unknown,
  ) => {
    const last = record.attempts.at(-1);
    if (!target && !last) return;
    transaction((tx) =>
      recordCall(tx, actor, {
        providerId: target?.providerId ?? last?.providerId ?? null,
        providerType: target?.providerType ?? last?.providerType ?? "",
        ...(target ? { pricing: target.pricing, requestedModel: target.requestedModel } : {}),
        model: target?.modelId ?? model,
        inputTokens: input,
        outputTokens: output,
        searchUnits,
        images,
        estimated,
        durationMs: performance.now() - started,
        outcome: target ? "ok" : signal.aborted ? "stopped" : "error",
        errorCode: error instanceof AppError ? error.code : null,
        ...source,
        route: record,
      }),
    );
  };
  try {
    const { value, target, end } = await routeCall(request, record, attempt);
    const tokens = tokensOf(value);
    end({ outcome: "ok", tokens });
    note(target, tokens);
    return value;
  } catch (error) {
    note(undefined, {}, error);
    throw signal.aborted ? signal.reason : error;
  }
}
