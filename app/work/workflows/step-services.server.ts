import type { ToolProgress } from "~/ai/tools/answer-stream.schema";
import { callTool } from "~/ai/tools/call-tool.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { fieldErrorsOf } from "~/core/field-errors";
import { withPurpose } from "~/core/purpose.server";
import { sendMail } from "~/platform/mail/send-mail.service.server";
import { keyForWorkflow, keyValue } from "~/team/keys/keys.service.server";
import { IngestInput } from "~/work/documents/ingestion/ingest.schema";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import { personaForStep } from "./personas-in-workflows.service.server";
import { defaultModel, generate, type StepUsage } from "./services/generate.server";
import { queryPostgres } from "./services/query-postgres.service.server";
import { sendRequest, sendWithKey } from "./services/request.server";
import type { Json, StepServices } from "./steps/step-type";
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

/** Sees only documents that every member can see. */
const workflowActor = (actor: Actor, workflowId: string): Actor => ({
  ...actor,
  kind: "workflow",
  userId: `workflow:${workflowId}`,
});

async function search(
  actor: Actor,
  { query, topK, category }: Parameters<StepServices["searchDocuments"]>[0],
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

function ingest(actor: Actor, input: Parameters<StepServices["ingestDocument"]>[0]): Json {
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
    defaultModel: async () => defaultModel(actor),
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
    async request({ key, ...call }) {
      await sending();
      if (!key) return await sendRequest(call, signal);
      const value = keyForWorkflow(actor.orgId, key.id, new URL(call.url).origin);
      return await sendWithKey(call, { ...key, value }, signal);
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
  };
}
