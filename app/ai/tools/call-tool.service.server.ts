import { type Countdown, followSignal, onAbort, withDeadline } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { groupedTransaction } from "~/core/db.server";
import { EgressRefusal } from "~/core/egress/errors.server";
import { AppError, type ErrorCode } from "~/core/errors";
import { log } from "~/core/log.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { inTrace, newSpan, type TraceSpan } from "~/core/trace-context.server";
import { clip, parseWellFormed } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { may } from "~/platform/rights/authorization.server";
import { recordToolCall, type UsageSource } from "~/team/usage/usage.service.server";
import type { ToolProgress } from "./answer-stream.schema";
import type { Effect } from "./effects.shared";
import { keepResultFile } from "./files/result-files.service.server";
import type { NewFile } from "./files/result-files.shared";
import type { AskedQuestion, QuestionEnd } from "./question.schema";
import { MAX_QUESTIONS } from "./question.shared";
import type { Delegation, Tool, ToolContext } from "./tool.shared";
import { parseToolInput } from "./tool-input.service.server";
import { decidedPolicy, explainMissingTool, findTool, nobodyToAsk, policyOf } from "./tools.service.server";

/** Minimum interval, in ms. */
const MIN_INTERVAL = 250;
/** Maximum reports per call. */
const MAX_REPORTS = 200;
const MESSAGE_LENGTH = 200;

/** Rate-limits and truncates progress, which may be untrusted. */
function limitProgress(report: (progress: ToolProgress) => void): (progress: ToolProgress) => void {
  let last = Number.NEGATIVE_INFINITY;
  let count = 0;
  return ({ progress, total, message }) => {
    if (!Number.isFinite(progress) || count >= MAX_REPORTS || now() - last < MIN_INTERVAL) return;
    last = now();
    count += 1;
    report({
      progress,
      ...(total !== undefined && Number.isFinite(total) && total > 0 ? { total } : {}),
      ...(message ? { message: clip(message.toWellFormed().replaceAll(/\s+/g, " "), MESSAGE_LENGTH) } : {}),
    });
  };
}

export type ToolOutcome =
  | { ok: true; output: unknown }
  /** `hasRun` unless the call was refused before: the error may then quote what the tool read. */
  | { ok: false; code: ErrorCode; error: string; hasRun?: true };

/** Prevents leaks through tools. */
export interface CallGuard {
  /** Whether the caller holds restricted content. */
  isRestricted(): boolean;
  /** Undefined if allowed. */
  refuse(tool: string, effect: "writes" | "outside"): string | undefined;
  /** Inspects a result before the next call. */
  note(output: unknown): void;
}

interface CallOptions {
  /** For audit and usage records. */
  source: UsageSource;
  signal: AbortSignal;
  /** `given` if a person approved the call or could be asked, `selected` if one chose the tool and can't be asked. */
  approval: "given" | "selected" | "none";
  guard?: CallGuard;
  /** As in `ToolContext`. */
  modelContext?: number | undefined;
  /** As in `ToolContext`. */
  delegation?: Delegation | undefined;
  folderId?: string | undefined;
  category?: string | undefined;
  skills?: readonly string[] | undefined;
  /** The model's id of the call. */
  callId?: string | undefined;
  /**
   * Awaited before the tool acts, or, where it knows that moment, before anything leaves.
   * @throws AppError if the call must not be made
   */
  onBegin?(effect: Effect | "private"): Promise<void>;
  /** Asks the person, and gives up once the signal aborts; absent where nobody can be asked. */
  onQuestion?: ((question: AskedQuestion, signal: AbortSignal) => Promise<QuestionEnd>) | undefined;
  /** A few times a second at most. */
  onProgress?(progress: ToolProgress): void;
}

function assertAllowed(actor: Actor, tool: Tool, approval: CallOptions["approval"]): void {
  const policy = policyOf(actor.orgId, tool);
  if (policy === "never") {
    throw new AppError(
      "forbidden",
      `${tool.name} is turned off. An admin can allow it under Settings › Advanced.`,
    );
  }
  const isMissing =
    approval === "none" || (approval === "selected" && decidedPolicy(actor.orgId, tool.name) === "ask");
  if (policy === "ask" && isMissing) throw new AppError("forbidden", nobodyToAsk(tool.name));
}

const effectOf = (tool: Tool, input: unknown): Effect | "private" =>
  tool.effectOf?.(input as never) ?? tool.effect;

function assertGuarded(tool: Tool, input: unknown, guard: CallGuard): void {
  const effect = effectOf(tool, input);
  if (effect === "reads" || effect === "private") return;
  const refusal = guard.refuse(tool.name, effect);
  if (refusal === undefined) return;
  log.warn("a tool call was refused: the conversation is restricted", { tool: tool.name });
  throw new AppError("forbidden", refusal);
}

async function audit(actor: Actor, tool: Tool, { kind, ...ids }: UsageSource): Promise<void> {
  if (tool.effect === "reads") return;
  const details = { tool: tool.name, effect: tool.effect, source: kind, ...ids };
  await groupedTransaction((tx) =>
    append(tx, actor, { action: "tool.called", resource: `tool:${tool.name}`, details }),
  );
}

async function recordUsage(
  actor: Actor,
  tool: Tool,
  { source, signal, callId }: CallOptions,
  outcome: ToolOutcome,
  durationMs: number,
  trace: TraceSpan | undefined,
): Promise<void> {
  const failed = signal.aborted ? ("stopped" as const) : ("error" as const);
  const record = {
    tool: tool.name,
    pluginId: tool.pluginId,
    source,
    durationMs,
    outcome: outcome.ok ? ("ok" as const) : failed,
    errorCode: outcome.ok ? null : outcome.code,
    details: { trace, toolCallId: callId },
  };
  try {
    await groupedTransaction((tx) => recordToolCall(tx, actor, record));
  } catch (error) {
    // The call succeeded regardless.
    log.error("a tool call's usage was not recorded", { tool: tool.name, error });
  }
}

/** Questions of one call, which end with it. */
function asks(onQuestion: CallOptions["onQuestion"], call: AbortSignal, countdown: Countdown) {
  let count = 0;
  const ask: NonNullable<ToolContext["ask"]> = async (question, withdrawn) => {
    count += 1;
    if (!onQuestion || count > MAX_QUESTIONS)
      throw new AppError("unprocessable", `${question.asker} asked more than ${MAX_QUESTIONS} questions.`);
    const { controller, release } = followSignal(call);
    const forget = onAbort(withdrawn, () => controller.abort());
    const resume = countdown.hold();
    try {
      return await onQuestion(question, controller.signal);
    } finally {
      resume();
      forget();
      release();
    }
  };
  return onQuestion ? { ask } : {};
}

/** Abandons a tool that ignores its signal. */
async function runInTime(
  tool: Tool,
  input: unknown,
  actor: Actor,
  options: CallOptions,
  begin: () => Promise<void>,
): Promise<unknown> {
  const { guard } = options;
  const seconds = tool.timeoutMs / 1000;
  const timeoutError = () =>
    new AppError("provider_timeout", `${tool.name} took longer than ${seconds} s and was stopped.`);
  const call = new AbortController();
  const run = async (signal: AbortSignal, countdown: Countdown) => {
    onAbort(signal, () => call.abort());
    const context = {
      actor,
      signal,
      conversationId:
        options.source.kind === "chat" ? (options.source.conversationId ?? undefined) : undefined,
      messageId: options.source.messageId ?? undefined,
      delegation: options.delegation,
      modelContext: options.modelContext,
      folderId: options.folderId,
      category: options.category,
      skills: options.skills,
      isRestricted: () => guard?.isRestricted() ?? false,
      report: limitProgress((progress) => signal.aborted || options.onProgress?.(progress)),
      ...asks(options.onQuestion, call.signal, countdown),
      sending: begin,
      keepFile: (file: NewFile) => keepResultFile(actor, options.source, file),
    };
    if (!tool.announcesSending) await begin();
    return tool.run(input as never, context);
  };
  try {
    return await withDeadline({ ms: tool.timeoutMs, timeoutError, signal: options.signal }, run);
  } catch (error) {
    throw options.signal.aborted ? new AppError("cancelled", "The call was stopped.") : error;
  } finally {
    // A question that is still open ends with the call.
    call.abort();
  }
}

function bound(tool: Tool, output: unknown): unknown {
  const json = JSON.stringify(output ?? null);
  if (json.length <= tool.outputLimit) return parseWellFormed(json);
  return { truncated: true, text: clip(json.toWellFormed(), tool.outputLimit) };
}

/** Explains how to allow a refused address. */
function allowHint(actor: Actor, error: AppError): string {
  if (!(error instanceof EgressRefusal) || error.allowable === undefined) return "";
  return may(actor, "egress.manage")
    ? ` To allow it, add ${error.allowable} under Outgoing Calls.`
    : " Ask an owner to allow it.";
}

function failure(actor: Actor, tool: string, thrown: unknown): Extract<ToolOutcome, { ok: false }> {
  const error = explainStorageFault(thrown);
  if (error instanceof AppError) {
    return { ok: false, code: error.code, error: error.message + allowHint(actor, error) };
  }
  log.error("a tool failed unexpectedly", { tool, error });
  return {
    ok: false,
    code: "internal",
    error: `${tool} failed unexpectedly. See the server log for the reason.`,
  };
}

/**
 * Runs one call of a tool: the only way to do so. It checks the policy and the input, bounds time and output, and
 * records the call. It never throws: a failure is a result that a model can react to.
 *
 * @param name the tool's own name
 * @param input not yet trusted
 */
export async function callTool(
  actor: Actor,
  name: string,
  input: unknown,
  options: CallOptions,
): Promise<ToolOutcome> {
  const tool = findTool(actor, name);
  if (!tool) return { ok: false, code: "not_found", error: explainMissingTool(actor, name) };
  let parsed: unknown;
  try {
    assertAllowed(actor, tool, options.approval);
    parsed = await parseToolInput(tool, input);
    if (options.guard) assertGuarded(tool, parsed, options.guard);
    await audit(actor, tool, options.source);
  } catch (error) {
    return failure(actor, name, error);
  }
  const started = performance.now();
  const trace = newSpan();
  let outcome: ToolOutcome;
  let isStopped = false;
  const begin = async () => {
    try {
      await options.onBegin?.(effectOf(tool, parsed));
    } catch (error) {
      isStopped = true;
      throw error;
    }
  };
  try {
    const output = await inTrace(trace, () => runInTime(tool, parsed, actor, options, begin));
    const bounded = bound(tool, output);
    options.guard?.note(output);
    outcome = { ok: true, output: bounded };
  } catch (error) {
    outcome = { ...failure(actor, name, error), ...(isStopped ? {} : { hasRun: true }) };
  }
  await recordUsage(actor, tool, options, outcome, performance.now() - started, trace);
  return outcome;
}
