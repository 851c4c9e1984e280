import { z } from "zod";
import { withDeadline } from "~/core/abort";
import type { Actor } from "~/core/actor";
import type { BodyTask } from "~/core/body-task";
import { now } from "~/core/clock.server";
import { db, groupedTransaction, transaction } from "~/core/db.server";
import { AppError, type ErrorCode } from "~/core/errors";
import { hashSecret, newId } from "~/core/ids.server";
import { parseWith } from "~/core/parse";
import { verifySignature } from "~/core/webhook-signature.server";
import { parseWellFormed } from "~/core/well-formed";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { keyValue } from "~/team/keys/keys.service.server";
import { engine } from "./engine/local-engine.server";
import { readJson } from "./engine/outputs.server";
import { canRun, DISABLED, PAUSED, runActor } from "./engine/run-actor.server";
import type { RunEnd } from "./engine/run-states.server";
import { collectFields, decompressBody, readHookBody } from "./hook-body.server";
import { definitionOf, requireWorkflow } from "./require-workflow.server";
import { findRun } from "./runs.repo.server";
import type { Json } from "./steps/step-type";
import { rotateHook } from "./sync-triggers.server";
import { webhook } from "./triggers/webhook.trigger.server";
import {
  findHook,
  findWorkflowById,
  type HookRow,
  insertHookCall,
  listHooks,
  type WorkflowRow,
} from "./workflows.repo.server";
import { WorkflowDefinition } from "./workflows.schema";
import { FORM_PATH } from "./workflows.shared";

/** Maximum wait for Return Value, in ms. */
const MAX_WAIT = 60_000;
/** Stored calls per trigger, and characters of their bodies. */
const MAX_STORED_CALLS = 20;
const MAX_STORED_BODY = 2000;

interface HookCall {
  token: string;
  method: string;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
  /** In the order sent. */
  query: Iterable<[name: string, value: string]>;
  rawBody: Buffer;
  signal: AbortSignal;
}

interface HookResult {
  runId: string;
  repeated: boolean;
  /** Set if the trigger waits for the run. */
  end?: Omit<RunEnd, "output">;
  /** The returned value: its JSON, or text if it is sent as plain text. */
  returned?: { type: "application/json" | "text/plain; charset=utf-8"; body: Buffer | string };
}

/** Texts of the values that workflows return; smaller ones are decoded at once (bytes). */
const texts = new WorkerPool<BodyTask, string>({
  name: "returned-text",
  entry: bundledWorker("body"),
  output: z.string(),
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 256,
});
const MAX_INLINE_TEXT = 256 * 1024;

/** The value of JSON as text: nothing of null, a text itself, and anything else as its JSON. */
async function textOfJson(json: Buffer, signal: AbortSignal): Promise<Buffer | string> {
  const isText = json[0] === QUOTE;
  if (!isText) return json.equals(NULL) ? "" : json;
  if (json.length <= MAX_INLINE_TEXT) return String(parseWellFormed(json.toString()));
  return await texts.run({ bytes: new Uint8Array(json) }, signal);
}

const QUOTE = '"'.charCodeAt(0);
const NULL = Buffer.from("null");

/** Headers in the payload; others may be secrets. */
const STORED_HEADERS = [
  "content-type",
  "user-agent",
  "webhook-id",
  "svix-id",
  "x-github-event",
  "x-github-delivery",
  "x-gitlab-event",
  "x-event-key",
];

/** @param content the body without its content encoding */
async function payloadOf({ method, query, headers }: HookCall, content: Buffer): Promise<Json> {
  const body = await readHookBody(content, headers["content-type"] ?? "");
  const stored = STORED_HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value.slice(0, 500)]];
  });
  return { method, body, query: collectFields(query), headers: Object.fromEntries(stored) };
}

/** Whether a repeated call says what the first one did; its headers may differ. */
function isSameCall(first: unknown, second: Json): boolean {
  const contentOf = (payload: unknown) => {
    const { method, body, query } = (payload ?? {}) as Record<string, unknown>;
    return JSON.stringify([method, body, query]);
  };
  return contentOf(first) === contentOf(second);
}

interface Target {
  hook: HookRow;
  workflow: WorkflowRow;
  config: z.infer<typeof webhook.config>;
}

function findTarget(token: string): Target {
  const hook = findHook(db(), token);
  const workflow = hook && findWorkflowById(db(), hook.workflowId);
  const triggers = workflow ? definitionOf(workflow.id, workflow.version).triggers : [];
  const trigger = triggers.find(({ id, type }) => id === hook?.triggerId && type === webhook.type);
  if (!hook || !workflow || !trigger)
    throw new AppError("not_found", "Webhook not found. Check its address in the workflow.");
  return { hook, workflow, config: parseWith(webhook.config, trigger.config, "trigger") };
}

function checkSignature({ hook, workflow, config }: Target, call: HookCall, content: Buffer): string {
  const { signature: scheme, signatureHeader, signatureAlgorithm, signatureEncoding } = config;
  const rule = {
    scheme,
    header: signatureHeader,
    algorithm: signatureAlgorithm,
    encoding: signatureEncoding,
  };
  const secret = keyValue(workflow.orgId, config.signatureKey, "other");
  const check = (rawBody: Buffer) =>
    verifySignature(rule, { secret, headers: call.headers, rawBody, now: now() });
  let checked = check(call.rawBody);
  // Some senders sign before their HTTP client compresses.
  if (!checked.ok && content !== call.rawBody) checked = check(content);
  if (!checked.ok) throw new AppError("unauthenticated", checked.reason);
  // A sender gives an event the same id at each of its addresses.
  return `signed:${hashSecret(`${hook.triggerId}:${scheme}:${checked.replayId}`)}`;
}

/** @returns the keys that identify replays: a signature counts once, whatever the other key says */
function checkCall(target: Target, call: HookCall, content: Buffer): string[] {
  const { workflow, config, hook } = target;
  if (!workflow.enabled) throw new AppError("conflict", DISABLED);
  if (!canRun(db(), workflow)) throw new AppError("conflict", PAUSED);
  const header = call.headers["idempotency-key"]?.slice(0, 200);
  // Each address has keys of its own: its callers may be others.
  const keys = header ? [`webhook:${hook.triggerId}:${header}`] : [];
  return config.signatureKey ? [checkSignature(target, call, content), ...keys] : keys;
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  invalid: 400,
  unauthenticated: 401,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  unavailable: 503,
};

async function recordCall(
  { workflowId, triggerId }: HookRow,
  { rawBody }: HookCall,
  status: number,
  result: { reason: string; runId: null } | { reason: null; runId: string },
) {
  const body = rawBody.subarray(0, MAX_STORED_BODY).toString("utf8");
  const row = { id: newId("call"), workflowId, triggerId, status, ...result, body, createdAt: now() };
  await groupedTransaction((tx) => insertHookCall(tx, row, MAX_STORED_CALLS));
}

/**
 * Starts a run; a replayed or repeated call returns the same run. HEAD starts none where GET would.
 *
 * @returns undefined for HEAD
 * @throws AppError `not_found`, `method_not_allowed`, `unauthenticated` for a bad signature, `conflict` for a disabled
 * or paused workflow, `invalid`, `too_large`, `unsupported_media`
 */
export async function callHook(call: HookCall): Promise<HookResult | undefined> {
  const target = findTarget(call.token);
  const { hook, workflow, config } = target;
  const { method: allow, respond } = config;
  if (call.method === "HEAD" && allow === "GET") return undefined;
  try {
    if (call.method !== allow)
      throw new AppError("method_not_allowed", `This webhook accepts ${allow} requests only.`, { allow });
    const content = await decompressBody(call.rawBody, call.headers["content-encoding"]);
    const idempotencyKeys = checkCall(target, call, content);
    const payload = await payloadOf(call, content);
    const { runId, repeated } = await engine().accept(runActor(workflow), {
      workflowId: workflow.id,
      triggerId: hook.triggerId,
      triggerType: "webhook",
      payload,
      idempotencyKeys,
    });
    // A key lives longer than its run, whose payload is gone then.
    const first = repeated ? findRun(db(), runId) : undefined;
    if (first && !isSameCall(first.payload, payload))
      throw new AppError(
        "conflict",
        "Another call was sent with this Idempotency-Key, webhook-id or signature. Use a new one.",
      );
    void recordCall(hook, call, 202, { reason: null, runId }).catch(() => undefined);
    if (respond === "at once") return { runId, repeated };
    const timeoutError = () => new Error("The run is still going.");
    const wait = { ms: MAX_WAIT, timeoutError, signal: call.signal };
    const end = await withDeadline(wait, (signal) => engine().ended(runId, signal)).catch(() => undefined);
    if (!end) return { runId, repeated };
    const result = { runId, repeated, end };
    if (end.state !== "succeeded") return result;
    const json = await readJson(runId, end.output);
    if (respond !== "as plain text") return { ...result, returned: { type: "application/json", body: json } };
    const body = await textOfJson(json, call.signal);
    return { ...result, returned: { type: "text/plain; charset=utf-8", body } };
  } catch (error) {
    if (error instanceof AppError)
      await recordCall(hook, call, STATUS[error.code] ?? 500, { reason: error.message, runId: null });
    throw error;
  }
}

const pathOf = (triggers: WorkflowDefinition["triggers"], triggerId: string, token: string) =>
  triggers.some(({ id, type }) => id === triggerId && type === "form")
    ? `${FORM_PATH}${token}`
    : `/api/hooks/${token}`;

export function listWebhooks(actor: Actor, id: string): { triggerId: string; path: string }[] {
  authorise(actor, "workflows.write");
  const { definition } = requireWorkflow(db(), actor.orgId, id);
  const { triggers } = WorkflowDefinition.parse(definition);
  return listHooks(db(), id).map(({ triggerId, token }) => ({
    triggerId,
    path: pathOf(triggers, triggerId, token),
  }));
}

export function rotateWebhook(
  actor: Actor,
  id: string,
  triggerId: string,
): { triggerId: string; path: string } {
  authorise(actor, "workflows.write");
  const path = transaction((tx) => {
    const row = requireWorkflow(tx, actor.orgId, id);
    const { triggers } = WorkflowDefinition.parse(row.definition);
    if (!triggers.some((trigger) => trigger.id === triggerId && ["webhook", "form"].includes(trigger.type)))
      throw new AppError("not_found", "Webhook trigger not found. Reload the page.");
    append(tx, actor, {
      action: "workflow.webhook_rotated",
      resource: `workflow:${id}`,
      details: { workflowName: row.name, trigger: triggerId },
    });
    return pathOf(triggers, triggerId, rotateHook(tx, row, triggerId));
  });
  publish({ topic: "workflows", orgId: actor.orgId });
  return { triggerId, path };
}
