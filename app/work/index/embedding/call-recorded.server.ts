import { newRouteRecord, type RouteTarget, routeCall } from "~/ai/models/models.service.server";
import { recordCall } from "~/ai/models/pricing.service.server";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";

interface Tokens {
  input?: number | undefined;
  output?: number | undefined;
  /** What rerankers count. */
  searchUnits?: number | undefined;
  /** Whether the console counted them. */
  estimated?: boolean;
}

/** Calls a model through the router, with its retries and limits, and records the usage. @throws as `routeCall` */
export async function callRecorded<T>(
  request: Parameters<typeof routeCall>[0] & { signal: AbortSignal },
  attempt: (target: RouteTarget) => Promise<T>,
  tokensOf: (value: T) => Tokens,
): Promise<T> {
  const { actor, model, signal } = request;
  const record = newRouteRecord();
  const started = performance.now();
  const note = (
    target: RouteTarget | undefined,
    { input, output, searchUnits, estimated }: Tokens,
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
        estimated,
        durationMs: performance.now() - started,
        outcome: target ? "ok" : signal.aborted ? "stopped" : "error",
        errorCode: error instanceof AppError ? error.code : null,
        source: "knowledge",
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
