import { withDeadline } from "~/core/abort";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { writeIfPossible } from "~/core/storage-faults.server";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import { calledAt, type ModelCall, recordCall } from "./pricing.service.server";
import type { CallEnd, RouteRequest } from "./router/attempts.server";
import { cutOffCall } from "./router/cut-off-calls.server";
import { newRouteRecord, routeCall } from "./router/open-model.server";
import type { CallTokens } from "./router/spending.server";
import { nonStreamingTimeout, type RouteTarget } from "./router/targets.server";

export interface Counted extends CallTokens {
  /** Whether the console counted them. */
  estimated?: boolean;
}

/** Without a source it is a chat's, or that of the workflow within which it is made. */
export type CallSource = Pick<ModelCall, "source" | "conversationId" | "messageId">;

type Attempt<T> = (target: RouteTarget) => Promise<T>;

export interface RecordedRequest extends RouteRequest {
  signal: AbortSignal;
  /** Keeps what a provider says of an error, for callers of its protocol. */
  keepReason?:
    | (<T>(attempt: Attempt<T>) => { attempt: Attempt<T>; explain(error: unknown): unknown })
    | undefined;
}

export interface OpenedCall<T> {
  value: T;
  target: RouteTarget;
  record: RouteRecord;
  /** Call exactly once, also for a call that was broken off. */
  end(result: Pick<CallEnd, "outcome" | "error">, counted: Counted): void;
}

/**
 * Calls a model through the router, with its retries and limits; the usage is recorded at its end, or once it failed.
 * @throws as `routeCall`; the signal's reason
 */
export async function openRecorded<T>(
  { keepReason, ...request }: RecordedRequest,
  attempt: Attempt<T>,
  source: CallSource,
): Promise<OpenedCall<T>> {
  const { actor, model, signal } = request;
  const record = newRouteRecord();
  const started = performance.now();
  const note = (
    { outcome, error }: Pick<CallEnd, "outcome" | "error">,
    counted: Counted,
    target?: RouteTarget,
  ): void => {
    if (!target && record.attempts.length === 0) return;
    // What the provider has answered isn't lost for a full disk.
    writeIfPossible(() =>
      transaction((tx) =>
        recordCall(tx, actor, {
          ...calledAt(target, record, model),
          inputTokens: counted.input,
          outputTokens: counted.output,
          searchUnits: counted.searchUnits,
          images: counted.images,
          audioSeconds: counted.audioSeconds,
          audioTokens: counted.audioTokens,
          characters: counted.characters,
          estimated: counted.estimated,
          durationMs: performance.now() - started,
          outcome,
          errorCode: error instanceof AppError ? error.code : null,
          ...source,
          route: record,
        }),
      ),
    );
  };
  const tried = keepReason?.(attempt);
  try {
    const { value, target, end } = await routeCall(request, record, tried?.attempt ?? attempt);
    return {
      value,
      target,
      record,
      end(result, counted) {
        end({ ...result, tokens: counted });
        note(result, counted, target);
      },
    };
  } catch (error) {
    const cut = cutOffCall(record);
    const counted = cut ? { ...cut.tokens, estimated: true } : {};
    note({ outcome: signal.aborted ? "stopped" : "error", error }, counted, cut?.target);
    throw signal.aborted ? signal.reason : (tried?.explain(error) ?? error);
  }
}

/**
 * As `openRecorded`, of a call whose response is one piece.
 * @param attempt aborts with its signal, at the latest when the time of such a call is over
 */
export async function callRecorded<T>(
  request: RecordedRequest,
  attempt: (target: RouteTarget, signal: AbortSignal) => Promise<T>,
  countedOf: (value: T, target: RouteTarget) => Counted,
  source: CallSource = { source: "knowledge" },
): Promise<Omit<OpenedCall<T>, "end">> {
  const { actor, signal } = request;
  const attemptInTime = (target: RouteTarget) => {
    const ms = Math.max(nonStreamingTimeout(actor.orgId), target.silence().firstByteMs);
    const message = `${target.displayName} took longer than ${ms / 1000} s.`;
    const timeoutError = () => new AppError("provider_timeout", message);
    return withDeadline({ ms, timeoutError, signal }, (either) => attempt(target, either));
  };
  const { end, ...answered } = await openRecorded(request, attemptInTime, source);
  end({ outcome: "ok" }, countedOf(answered.value, answered.target));
  return answered;
}
