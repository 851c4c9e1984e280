import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { type GeneratedText, readGeneratedText } from "~/ai/models/generate-text.service.server";
import {
  effortOptions,
  explainProviderError,
  isEstimated,
  listModels,
  newRouteRecord,
  resolveModel,
  SAYS_SCHEMA,
  topBarModel,
} from "~/ai/models/models.service.server";
import { priceFor, recordedModel } from "~/ai/models/pricing.service.server";
import type { ToolProgress } from "~/ai/tools/answer-stream.schema";
import { callTool } from "~/ai/tools/call-tool.service.server";
import type { Actor } from "~/core/actor";
import { decodeText } from "~/core/charset";
import { groupedTransaction } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { fieldErrorsOf } from "~/core/parse";
import { withPurpose } from "~/core/purpose.server";
import { sendMail } from "~/platform/mail/send-mail.service.server";
import { keyForWorkflow, keyValue } from "~/team/keys/keys.service.server";
import { recordUsage } from "~/team/usage/usage.service.server";
import { IngestInput } from "~/work/documents/ingestion/ingest.schema";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import { runCode } from "./code/run-code.server";
import { personaForStep } from "./references.service.server";
import { queryPostgres } from "./services/query-postgres.service.server";
import type { Json, StepServices, StepUsage } from "./steps/step-type";
import { queryWorkspace } from "./workspace/query-workspace.server";

interface StepServicesOptions {
  /** The member that the run acts for. */
  actor: Actor;
  workflowId: string;
  runId: string;
  stepId: string;
  /** Aborted on cancellation or timeout. */
  signal: AbortSignal;
  /** Called per model call, also on failure. */
  onUsage(usage: StepUsage): void;
  /** Awaited before a call leaves that may have an effect. */
  onSending?(): Promise<void>;
  /** Progress of a tool call; undefined at its end. */
  onProgress?(progress: ToolProgress | undefined): void;
  /** In ms; defaults to 30 seconds. */
  timeoutMs?: number;
}

const STATEMENT_TIMEOUT = 30_000;

type Call<K extends keyof StepServices> = Parameters<StepServices[K]>[0];

/** Sees only documents that every member can see. */
const workflowActor = (actor: Actor, workflowId: string): Actor => ({
  ...actor,
  kind: "workflow",
  userId: `workflow:${workflowId}`,
});

async function search(
  actor: Actor,
  { query, topK, category }: Call<"searchDocuments">,
  signal: AbortSignal,
): Promise<Json> {
  const filters = category ? { category } : {};
  const { results, notice } = await searchDocuments(
    actor,
    SearchInput.parse({ query, topK, filters }),
    signal,
  );
  const passages = results.map(({ content, score, metadata }) => {
    const { documentId, title, category: from, page, url } = metadata;
    return { title, content, score, category: from, page, url, documentId };
  });
  return {
    results: passages,
    count: passages.length,
    text: passages.map(({ title, content }, index) => `[${index + 1}] ${title}\n${content}`).join("\n\n"),
    notice,
  };
}

function ingest(actor: Actor, input: Call<"ingestDocument">): Json {
  const parsed = IngestInput.safeParse({ ...input, format: "markdown", visibility: "organisation" });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AppError("invalid", issue?.message ?? "The document can't be added. Enter text or a URL.", {
      fields: fieldErrorsOf(parsed.error),
    });
  }
  const { id, title, status, duplicate } = queueIngest(actor, parsed.data);
  return { id, title, status, duplicate: duplicate ?? false, page: `/rag/${id}` };
}

/** Services for steps, bounded and recorded with run and step. */
export function makeStepServices(options: StepServicesOptions): StepServices {
  const { actor, workflowId, runId, stepId, signal, timeoutMs = STATEMENT_TIMEOUT } = options;
  const purpose = { workflowId, runId, stepId, memberId: actor.userId };
  const sending = async () => options.onSending?.();
  return {
    async generate(call) {
      await sending();
      return await generate(call, options);
    },
    defaultModel: async () => topBarModel(actor, listModels(actor)),
    readPersona: async (id) => personaForStep(actor, id),
    searchDocuments: (query) =>
      withPurpose(purpose, () => search(workflowActor(actor, workflowId), query, signal)),
    async ingestDocument(input) {
      await sending();
      return ingest(actor, input);
    },
    async callTool(name, input) {
      const source = { kind: "workflow" as const, workflowId, runId, stepId };
      const onProgress = (progress: ToolProgress) => options.onProgress?.(progress);
      const outcome = await withPurpose(purpose, () =>
        callTool(workflowActor(actor, workflowId), name, input, {
          source,
          signal,
          approval: "selected",
          onBegin: sending,
          onProgress,
        }),
      ).finally(() => options.onProgress?.(undefined));
      if (signal.aborted) throw signal.reason;
      if (!outcome.ok) throw new AppError(outcome.code, outcome.error);
      return outcome.output as Json;
    },
    async request(call) {
      await sending();
      return await sendRequest(actor, call, signal);
    },
    async sendEmail(message) {
      await sending();
      return await sendMail(message, "workflow:smtp", signal);
    },
    async queryDatabase({ connection, ...query }) {
      await sending();
      if (connection === "") return await queryWorkspace(query, signal);
      const connectionString = keyValue(actor.orgId, connection, "database");
      return await queryPostgres(connectionString, query, { signal, timeoutMs });
    },
    runCode: (code, input) => runCode(code, input, signal),
  };
}

/** Headers that survive a redirect to another origin; the others may be secrets. */
const HARMLESS = new Set(["accept", "accept-language", "content-type", "user-agent", "idempotency-key"]);
/** In characters. */
const HEADER_LENGTH = 4000;

function isBinary(bytes: Uint8Array, contentType: string): boolean {
  return (
    /^(?:image\/(?!svg)|audio|video|font|application\/(?:pdf|zip|gzip|octet-stream))/i.test(contentType) ||
    bytes.subarray(0, 10_000).includes(0)
  );
}

/** @throws AppError, such as for a key of another origin; the signal's reason */
async function sendRequest(
  { orgId }: Actor,
  { method, url, headers, body, key, maxBytes }: Call<"request">,
  signal: AbortSignal,
): ReturnType<StepServices["request"]> {
  const secret = key ? keyForWorkflow(orgId, key.id, new URL(url).origin) : "";
  const sent = Object.entries(headers).filter(([name]) => name.toLowerCase() !== key?.header.toLowerCase());
  if (key) sent.push([key.header, `${key.prefix}${secret}`]);
  const names = sent.map(([name]) => name);
  const fetch = guardedFetch("workflow", {
    // The step has its own time limit.
    timeoutMs: 0,
    maxBytes,
    sendsTrace: true,
    secretHeaders: names.filter((name) => name === key?.header || !HARMLESS.has(name.toLowerCase())),
  });
  const response = await fetch(url, {
    method,
    headers: Object.fromEntries(sent),
    body: body ?? null,
    signal,
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const contentType = response.headers.get("content-type") ?? "";
  // Some servers echo headers, and the response is journaled.
  const hide = (text: string) => (secret ? text.replaceAll(secret, "[key]") : text);
  const received = [...response.headers].filter(([name]) => name !== "set-cookie");
  return {
    status: response.status,
    headers: Object.fromEntries(received.map(([name, value]) => [name, hide(value).slice(0, HEADER_LENGTH)])),
    body: isBinary(bytes, contentType)
      ? `[Binary data, ${bytes.length.toLocaleString("en-US")} bytes]`
      : hide(decodeText(bytes, contentType)),
  };
}

/** Output limit in characters, so that an endless stream can't fill the memory. */
const MAX_ANSWER_LENGTH = 2_000_000;

/** Records the usage whatever the outcome. @throws AppError for the user; the signal's reason */
async function generate(
  call: Call<"generate">,
  { actor, signal, onUsage, workflowId, runId, stepId }: StepServicesOptions,
): ReturnType<StepServices["generate"]> {
  const model = resolveModel(actor, call.model, { workflowId });
  const prompt: LanguageModelV3Message[] = [
    ...(call.system ? [{ role: "system" as const, content: call.system }] : []),
    { role: "user", content: [{ type: "text", text: call.prompt }] },
  ];
  const options = {
    prompt,
    abortSignal: signal,
    ...(call.maxTokens === undefined ? {} : { maxOutputTokens: call.maxTokens }),
    ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
    providerOptions: {
      console: { ...effortOptions(call.effort).console, ...(call.schema && SAYS_SCHEMA) },
    },
    ...(call.schema && { responseFormat: { type: "json" as const, name: "answer", schema: call.schema } }),
  };
  const route = newRouteRecord();
  const received: GeneratedText = { text: "" };
  const started = performance.now();
  let failure: AppError | undefined;
  try {
    await readGeneratedText(model, options, route, received, MAX_ANSWER_LENGTH);
    if (received.text.length > MAX_ANSWER_LENGTH)
      throw new AppError("provider_rejected", "The model wrote more than 2 million characters.");
  } catch (error) {
    const names = { provider: "The provider", model: call.model };
    failure = error instanceof AppError ? error : explainProviderError(error, names);
  }
  const { target, usage, text } = received;
  const tokens = {
    input: usage?.inputTokens.total ?? null,
    output: usage?.outputTokens.total ?? null,
    cacheRead: usage?.inputTokens.cacheRead ?? null,
    cacheWrite: usage?.inputTokens.cacheWrite ?? null,
  };
  const priced = target && { ...target, model: target.modelId };
  const spent = {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    costMicros: priced ? priceFor(actor.orgId, priced, tokens) : null,
  };
  onUsage(spent);
  const provider = target ?? route.attempts.at(-1);
  const failed = signal.aborted ? ("stopped" as const) : ("error" as const);
  await groupedTransaction((tx) =>
    recordUsage(tx, actor, {
      source: "workflow",
      workflowId,
      runId,
      stepId,
      providerId: provider?.providerId ?? null,
      providerType: provider?.providerType ?? "unknown",
      model: recordedModel(target, call.model),
      ...spent,
      cacheReadTokens: tokens.cacheRead,
      cacheWriteTokens: tokens.cacheWrite,
      estimated: isEstimated(usage),
      durationMs: performance.now() - started,
      outcome: failure ? failed : "ok",
      errorCode: failure?.code ?? null,
      route,
    }),
  ).catch((error: unknown) => log.error("a step's usage was not recorded", { error, runId }));
  if (signal.aborted) throw signal.reason;
  if (failure || !target)
    throw failure ?? new AppError("provider_unavailable", "No model answered. Try again.");
  return { text, model: target.modelId, provider: target.displayName, ...spent };
}
