import { extname } from "node:path";
import { Readable } from "node:stream";
import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { IMAGE_LEFT_OUT } from "~/ai/models/beside-text.schema";
import { generateWith } from "~/ai/models/generate-text.service.server";
import { listModels, resolveModel, topBarModel } from "~/ai/models/models.service.server";
import type { ToolProgress } from "~/ai/tools/answer-stream.schema";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { keepMadeImage, keepResultFile, readRunFile } from "~/ai/tools/files/result-files.service.server";
import { isShownImage } from "~/ai/tools/files/result-files.shared";
import type { Actor } from "~/core/actor";
import { decodeText } from "~/core/charset";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { describeIssue, fieldErrorsOf } from "~/core/parse";
import { withPurpose } from "~/core/purpose.server";
import { sendMail } from "~/platform/mail/send-mail.service.server";
import { keyForWorkflow, keyValue } from "~/team/keys/keys.service.server";
import type { UsageSource } from "~/team/usage/usage.service.server";
import { seesImages } from "~/work/chat/attachments/attachments.service.server";
import { IngestInput, type UploadPart } from "~/work/documents/ingestion/ingest.schema";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { downloadName } from "~/work/documents/ingestion/names.service.server";
import { receiveUpload } from "~/work/documents/ingestion/upload.service.server";
import { readFileInProcess } from "~/work/extraction/read-document.service.server";
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
  /** Holds the step's time limit. @returns a function that releases it */
  hold?(): () => void;
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

/** Text and URL, or a file of a run. @throws AppError `invalid` by field, `unprocessable` for a file that can't be added */
async function ingest(
  actor: Actor,
  { file, ...input }: Call<"ingestDocument">,
  signal: AbortSignal,
): Promise<Json> {
  if (file !== undefined) return await ingestFile(actor, readRunFile(actor.orgId, file), input, signal);
  const parsed = IngestInput.safeParse(
    { ...input, format: "markdown", visibility: "organisation" },
    { error: describeIssue },
  );
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AppError("invalid", issue?.message ?? "The document can't be added. Enter text or a URL.", {
      fields: fieldErrorsOf(parsed.error),
    });
  }
  const { id, title, status, duplicate } = queueIngest(actor, parsed.data);
  return { id, title, status, duplicate: duplicate ?? false, page: `/rag/${id}` };
}

async function ingestFile(
  actor: Actor,
  { name, mediaType, bytes }: RunFile,
  { title, category }: Call<"ingestDocument">,
  signal: AbortSignal,
): Promise<Json> {
  async function* parts(): AsyncGenerator<UploadPart> {
    yield { kind: "field", name: "visibility", value: "organisation" };
    if (category) yield { kind: "field", name: "category", value: category };
    const fileName = title ? `${title}${extname(name)}` : name;
    yield { kind: "file", fileName, contentType: mediaType, bytes: Readable.from([bytes]) };
  }
  const [added] = (await receiveUpload(actor, parts(), signal)).files;
  if (!added?.id) throw new AppError("unprocessable", added?.error ?? "The file can't be added.");
  const { id, status, duplicateOf } = added;
  return { id, title: added.name, status, duplicate: duplicateOf !== null, page: `/rag/${id}` };
}

type RunFile = ReturnType<typeof readRunFile>;

type UserContent = Extract<LanguageModelV3Message, { role: "user" }>["content"];

/** Text of one file for a model, in characters. */
const MAX_FILE_TEXT = 200_000;

/** A prompt with files: images as they are, and the text of others. @throws AppError `invalid` */
async function promptParts(
  actor: Actor,
  { model, prompt, files = [] }: Call<"generate">,
  signal: AbortSignal,
): Promise<UserContent> {
  const parts: UserContent = [];
  for (const { name, mediaType, bytes } of files.map((id) => readRunFile(actor.orgId, id))) {
    if (isShownImage({ mediaType }) && mediaType !== "image/svg+xml") {
      if (!seesImages(actor, model))
        throw new AppError("invalid", `The model can't see the image ${name}. Choose one that sees images.`);
      parts.push({ type: "file", data: new Uint8Array(bytes), mediaType, filename: name });
      continue;
    }
    const file = { bytes: new Uint8Array(bytes), name, contentType: "", maxLength: MAX_FILE_TEXT };
    const { text } = await readFileInProcess(file, signal);
    parts.push({ type: "text", text: `File "${name}":\n\n${text}` });
  }
  return [...parts, { type: "text", text: prompt }];
}

/** Services for steps, bounded and recorded with run and step. */
export function makeStepServices(options: StepServicesOptions): StepServices {
  const { actor, workflowId, runId, stepId, signal, timeoutMs = STATEMENT_TIMEOUT } = options;
  const purpose = { workflowId, runId, stepId, memberId: actor.userId };
  const sending = async () => options.onSending?.();
  return {
    async generate(call) {
      await sending();
      return await withPurpose(purpose, () => generate(call, options));
    },
    defaultModel: async () => topBarModel(actor, listModels(actor)),
    readPersona: async (id) => personaForStep(actor, id),
    searchDocuments: (query) =>
      withPurpose(purpose, () => search(workflowActor(actor, workflowId), query, signal)),
    async ingestDocument(input) {
      await sending();
      return await ingest(actor, input, signal);
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
      const source = { kind: "workflow" as const, workflowId, runId, stepId };
      return await sendRequest(actor, source, call, signal);
    },
    async sendEmail({ files = [], ...message }) {
      const attachments = files.map((id) => readRunFile(actor.orgId, id));
      await sending();
      return await sendMail({ ...message, attachments }, "workflow:smtp", signal);
    },
    async queryDatabase({ connection, ...query }) {
      await sending();
      if (connection === "") return await queryWorkspace(query, signal);
      const connectionString = keyValue(actor.orgId, connection, "database");
      return await queryPostgres(connectionString, query, { signal, timeoutMs });
    },
    runCode: (code, input) => runCode(code, input, signal, options.hold),
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
  actor: Actor,
  source: UsageSource,
  { method, url, headers, body, bodyFile, key, maxBytes, keepsFile }: Call<"request">,
  signal: AbortSignal,
): ReturnType<StepServices["request"]> {
  const { orgId } = actor;
  const file = bodyFile === undefined ? undefined : readRunFile(orgId, bodyFile);
  const secret = key ? keyForWorkflow(orgId, key.id, new URL(url).origin) : "";
  const sent = Object.entries(headers).filter(([name]) => name.toLowerCase() !== key?.header.toLowerCase());
  if (key) sent.push([key.header, `${key.prefix}${secret}`]);
  const names = sent.map(([name]) => name);
  if (file && !names.some((name) => name.toLowerCase() === "content-type"))
    sent.push(["Content-Type", file.mediaType]);
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
    body: file ? new Uint8Array(file.bytes) : (body ?? null),
    signal,
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const contentType = response.headers.get("content-type") ?? "";
  // Some servers echo headers, and the response is journaled.
  const hide = (text: string) => (secret ? text.replaceAll(secret, "[key]") : text);
  const received = [...response.headers].filter(([name]) => name !== "set-cookie");
  const isFile = isBinary(bytes, contentType);
  const name = downloadName(response.headers.get("content-disposition"), response.url || url);
  const kept =
    isFile && keepsFile && response.ok
      ? await keepResultFile(actor, source, { name, type: contentType, bytes: Buffer.from(bytes) })
      : undefined;
  return {
    ...(kept && { file: kept }),
    status: response.status,
    headers: Object.fromEntries(received.map(([name, value]) => [name, hide(value).slice(0, HEADER_LENGTH)])),
    body: isFile
      ? `[Binary data, ${bytes.length.toLocaleString("en-US")} bytes]`
      : hide(decodeText(bytes, contentType)),
  };
}

/** Output limit in characters, so that an endless stream can't fill the memory. */
const MAX_ANSWER_LENGTH = 2_000_000;

/** Keeps what a model made with the run; what can't be kept is noted in the text. */
async function keepImages(
  actor: Actor,
  source: UsageSource,
  { text, images }: Pick<Awaited<ReturnType<typeof generateWith>>, "text" | "images">,
): Promise<{ text: string; files?: Json[] }> {
  if (!images) return { text };
  const files: Json[] = [];
  for (const [at, { base64 }] of images.kept.entries()) {
    const file = await keepMadeImage(actor, source, `Image ${at + 1}`, Buffer.from(base64, "base64"));
    if (file) files.push({ ...file });
  }
  return {
    text: files.length < images.count ? text + IMAGE_LEFT_OUT : text,
    ...(files.length > 0 && { files }),
  };
}

/** @throws AppError for the user; the signal's reason */
async function generate(
  call: Call<"generate">,
  { actor, signal, onUsage, workflowId, runId, stepId }: StepServicesOptions,
): ReturnType<StepServices["generate"]> {
  const { model, persona: personaId, system, maxTokens, temperature, effort, schema } = call;
  const resolved = resolveModel(actor, model, { workflowId, personaId });
  let spent: StepUsage = { inputTokens: null, outputTokens: null, costMicros: null };
  const written = await generateWith(actor, resolved, {
    personaId,
    system,
    prompt: await promptParts(actor, call, signal),
    maxLength: MAX_ANSWER_LENGTH,
    maxOutputTokens: maxTokens,
    temperature,
    effort,
    schema,
    signal,
    keepsImages: true,
    onSpent(of) {
      spent = of;
      onUsage(of);
    },
  }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  if (written.text.length > MAX_ANSWER_LENGTH)
    throw new AppError("provider_rejected", "The model wrote more than 2 million characters.");
  const kept = await keepImages(actor, { kind: "workflow", workflowId, runId, stepId }, written);
  return { ...kept, model: written.model, provider: written.provider, ...spent };
}
