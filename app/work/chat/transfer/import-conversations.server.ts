import { createHash } from "node:crypto";
import { z } from "zod";
import { listModels, newChatModel } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import type { JobChange, JobContext } from "~/platform/jobs/job-kind.service.server";
import { insertConversation, insertMessage, updateConversation } from "../chat.repo.server";
import { textPart, titleOf } from "../chat.service.server";
import { whileWritten } from "../list/list.repo.server";
import { count, type ImportedConversation } from "./imported-conversation";
import { findImportById, findImported, insertImported, updateImport } from "./imports.repo.server";
import { ImportReport } from "./imports.schema";
import { deleteUpload, openUpload } from "./imports.service.server";
import { type JsonElement, JsonFileError, readElements } from "./json-elements";
import type { ReadConversation } from "./read-element";

/** Identifies a conversation without an id. */
function sourceOf({ source, title, messages }: ImportedConversation): string {
  if (source) return source;
  const hash = createHash("sha256").update(
    JSON.stringify([title, messages.map(({ role, text }) => [role, text])]),
  );
  return `content:${hash.digest("base64url")}`;
}

/**
 * Stores a conversation once per person. Its messages are indexed as they are written, which takes long for many of
 * them: they are written in batches, and what a crash leaves of it isn't shown and goes.
 * @returns `already` if an earlier import stored it; retries count as stored
 */
async function storeConversation(
  actor: Actor,
  importId: string,
  conversation: ImportedConversation,
  { defaultModel, signal }: { defaultModel: string; signal: AbortSignal },
): Promise<"stored" | "already"> {
  const source = sourceOf(conversation);
  const present = findImported(db(), actor.userId, source);
  if (present) return present.importId === importId ? "stored" : "already";
  const { messages } = conversation;
  const created = conversation.createdAt ?? messages[0]?.createdAt ?? now();
  const updated = Math.max(created, conversation.updatedAt ?? messages.at(-1)?.createdAt ?? created);
  const id = newId("con");
  const ids = messages.map(() => newId("msg"));
  const idOf = (index: number | null) => (index === null ? null : (ids[index] ?? null));
  function* steps(): Generator<(tx: Db) => void> {
    yield (tx) =>
      insertConversation(tx, {
        id,
        orgId: actor.orgId,
        userId: actor.userId,
        title: titleOf(conversation.title) || titleOf(messages[0]?.text ?? "") || "Imported conversation",
        model: conversation.model ?? defaultModel,
        settings: {},
        // A file's texts are a stranger's.
        outsideContentAt: now(),
        deletedAt: whileWritten(),
        createdAt: created,
        updatedAt: updated,
      });
    let at = created;
    for (const [index, { role, text, model, createdAt, parent }] of messages.entries()) {
      at = createdAt ?? at;
      const row = {
        id: idOf(index) ?? newId("msg"),
        conversationId: id,
        parentId: idOf(parent),
        position: index + 1,
        role,
        status: "complete",
        parts: textPart(text),
        model: role === "assistant" ? model : null,
        createdAt: at,
        finishedAt: at,
      } as const;
      yield (tx) => insertMessage(tx, row);
    }
    const shown = idOf(conversation.shown);
    yield (tx) => {
      updateConversation(tx, id, { deletedAt: null, ...(shown ? { activeMessageId: shown } : {}) });
      insertImported(tx, { userId: actor.userId, source, conversationId: id, importId });
    };
  }
  // After a power loss the import stores it again: its checkpoint is later.
  await runInBatches(steps(), (tx, step) => step(tx), { durable: false, signal });
  return "stored";
}

const LIMITS = { maxBytes: 8_000_000, maxObjectBytes: 32_000_000, maxDepth: 5_000, maxValues: 2_000_000 };
const MAX_CONVERSATIONS = 20_000;
const REPORT_EVERY = 20;

const pool = new WorkerPool<JsonElement, ReadConversation[]>({
  name: "import-element",
  entry: bundledWorker("import-element"),
  output: z.custom<ReadConversation[]>(Array.isArray),
  size: 1,
  timeoutMs: 60_000,
  maxHeapMb: 512,
});

const Checkpoint = z
  .object({ elements: z.number().int(), report: ImportReport })
  .catch(() => ({ elements: 0, report: ImportReport.parse({}) }));

interface ReadExport {
  importId: string;
  signal: AbortSignal;
  onError(error: JsonFileError): void;
  /** Position in the upload, in bytes unpacked. */
  onRead(done: number, total: number): void;
}

/** The elements of all files of an upload. A file that can't be read to its end doesn't keep the next from being read. */
async function* elementsOf({ importId, signal, onError, onRead }: ReadExport): AsyncGenerator<JsonElement> {
  const { files, size, close } = await openUpload(importId);
  let read = 0;
  async function* counted(bytes: AsyncIterable<Uint8Array>) {
    for await (const chunk of bytes) {
      signal.throwIfAborted();
      read += chunk.byteLength;
      onRead(read, size);
      yield chunk;
    }
  }
  try {
    for (const file of files) {
      try {
        yield* readElements(counted(file.read()), LIMITS);
      } catch (error) {
        if (!(error instanceof JsonFileError)) throw error;
        onError(file.name === null ? error : new JsonFileError(`${clip(file.name, 100)}: ${error.message}`));
      }
    }
  } finally {
    close();
  }
}

export async function importConversations({
  input: { importId },
  actor,
  signal,
  checkpoint,
  saveCheckpoint,
  progress,
}: JobContext<{ importId: string }>): Promise<void> {
  const person = actor();
  const defaultModel = newChatModel(person, listModels(person));
  const before = Checkpoint.parse(checkpoint);
  const { report } = before;
  const leftOut = new Map(Object.entries(report.leftOut));
  let elements = 0;
  let conversations = 0;
  let position = { done: 0, total: 0 };
  const onError = ({ message }: JsonFileError) => {
    report.error ??= message;
  };
  const onRead = (done: number, total: number) => {
    position = { done, total };
  };
  const store = () => {
    report.leftOut = Object.fromEntries(leftOut);
    saveCheckpoint({ elements, report });
    transaction((tx) => updateImport(tx, importId, { report }));
    publish({ topic: "conversation-imports", orgId: person.orgId });
    progress(position);
  };
  const keep = async (parsed: ReadConversation) => {
    if ("reason" in parsed) return count(leftOut, parsed.reason);
    if (++conversations > MAX_CONVERSATIONS)
      throw new JsonFileError("The file has more than 20,000 conversations. Split it into smaller files.");
    const outcome = await storeConversation(person, importId, parsed, { defaultModel, signal });
    if (outcome === "already") {
      report.alreadyImported++;
      return;
    }
    report.imported++;
    report.messages += parsed.messages.length;
    for (const [reason, n] of parsed.leftOut) count(leftOut, reason, n);
  };
  try {
    for await (const element of elementsOf({ importId, signal, onError, onRead })) {
      signal.throwIfAborted();
      if (++elements <= before.elements) continue;
      if (elements > MAX_CONVERSATIONS)
        throw new JsonFileError("The file has more than 20,000 conversations. Split it into smaller files.");
      for (const parsed of await pool.run(element, signal)) {
        await keep(parsed);
        // An object may have thousands that are there already.
        await yieldToEventLoop();
        signal.throwIfAborted();
      }
      if (elements % REPORT_EVERY === 0) store();
    }
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    onError(error);
  }
  signal.throwIfAborted();
  if (elements === 0) report.error ??= "The file has no conversations. Choose another file.";
  report.leftOut = Object.fromEntries(leftOut);
  transaction((tx) => {
    updateImport(tx, importId, { state: "done", report, finishedAt: now() });
    append(tx, person, {
      action: "conversation.imported",
      resource: `import:${importId}`,
      details: { imported: report.imported, alreadyImported: report.alreadyImported },
    });
  });
  deleteUpload(importId);
  publish({ topic: "conversation-imports", orgId: person.orgId });
}

export function recordImportEnd(tx: Db, importId: string, orgId: string | null, change: JobChange): void {
  if (change.state !== "failed" && change.state !== "cancelled") return;
  const row = findImportById(tx, importId);
  if (row?.state !== "running") return;
  const { state } = change;
  const report = ImportReport.catch(ImportReport.parse({})).parse(row.report);
  const error = change.state === "failed" ? change.error : "The import was canceled.";
  updateImport(tx, importId, { state, finishedAt: now(), report: { ...report, error } });
  deleteUpload(importId);
  if (orgId) publish({ topic: "conversation-imports", orgId });
}
