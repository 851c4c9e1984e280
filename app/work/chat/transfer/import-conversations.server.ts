import { createHash } from "node:crypto";
import { z } from "zod";
import { listModels, newChatModel } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { append } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import type { JobChange, JobContext } from "~/platform/jobs/job-kind.service.server";
import { insertConversation, insertMessage, updateConversation } from "../chat.repo.server";
import { textPart, titleOf } from "../chat.service.server";
import { count, type ImportedConversation } from "./imported-conversation";
import { findImportById, findImported, insertImported, updateImport } from "./imports.repo.server";
import { ImportReport } from "./imports.schema";
import { deleteUpload, readUpload, sizeOfUpload } from "./imports.service.server";
import { type JsonElement, JsonFileError, readElements } from "./json-elements";
import type { readElement } from "./read-element";

/** Identifies a conversation without an id. */
function sourceOf({ source, title, messages }: ImportedConversation): string {
  if (source) return source;
  const hash = createHash("sha256").update(
    JSON.stringify([title, messages.map(({ role, text }) => [role, text])]),
  );
  return `content:${hash.digest("base64url")}`;
}

/** Stores a conversation once per person. @returns `already` if an earlier import stored it; retries count as stored */
function storeConversation(
  actor: Actor,
  importId: string,
  conversation: ImportedConversation,
  defaultModel: string,
): "stored" | "already" {
  const source = sourceOf(conversation);
  return transaction(
    (tx) => {
      const present = findImported(tx, actor.userId, source);
      if (present) return present.importId === importId ? "stored" : "already";
      const { messages } = conversation;
      const created = conversation.createdAt ?? messages[0]?.createdAt ?? now();
      const updated = Math.max(created, conversation.updatedAt ?? messages.at(-1)?.createdAt ?? created);
      const id = newId("con");
      insertConversation(tx, {
        id,
        orgId: actor.orgId,
        userId: actor.userId,
        title: titleOf(conversation.title) || titleOf(messages[0]?.text ?? "") || "Imported conversation",
        model: conversation.model ?? defaultModel,
        settings: {},
        // A file's texts are a stranger's.
        outsideContentAt: now(),
        createdAt: created,
        updatedAt: updated,
      });
      const ids = messages.map(() => newId("msg"));
      const idOf = (index: number | null) => (index === null ? null : (ids[index] ?? null));
      let at = created;
      for (const [index, { role, text, model, createdAt, parent }] of messages.entries()) {
        at = createdAt ?? at;
        insertMessage(tx, {
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
        });
      }
      const shown = idOf(conversation.shown);
      if (shown) updateConversation(tx, id, { activeMessageId: shown });
      insertImported(tx, { userId: actor.userId, source, conversationId: id, importId });
      return "stored";
      // After a power loss the import stores it again: its checkpoint is later.
    },
    { durable: false },
  );
}

const LIMITS = { maxBytes: 8_000_000, maxDepth: 5_000 };
const MAX_CONVERSATIONS = 20_000;
const REPORT_EVERY = 20;

type ReadElement = ReturnType<typeof readElement>;

const pool = new WorkerPool<JsonElement, ReadElement>({
  name: "import-element",
  entry: bundledWorker("import-element"),
  output: z.custom<ReadElement>((value) => typeof value === "object" && value !== null),
  size: 1,
  timeoutMs: 60_000,
  maxHeapMb: 512,
});

const Checkpoint = z
  .object({ elements: z.number().int(), report: ImportReport })
  .catch(() => ({ elements: 0, report: ImportReport.parse({}) }));

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
  const total = await sizeOfUpload(importId);
  const before = Checkpoint.parse(checkpoint);
  const { report } = before;
  const leftOut = new Map(Object.entries(report.leftOut));
  let elements = 0;
  let read = 0;
  async function* counted() {
    for await (const chunk of readUpload(importId)) {
      signal.throwIfAborted();
      read += chunk.byteLength;
      yield chunk;
    }
  }
  const store = () => {
    report.leftOut = Object.fromEntries(leftOut);
    saveCheckpoint({ elements, report });
    transaction((tx) => updateImport(tx, importId, { report }));
    publish({ topic: "conversation-imports", orgId: person.orgId });
    progress({ done: read, total });
  };
  try {
    for await (const element of readElements(counted(), LIMITS)) {
      signal.throwIfAborted();
      if (++elements <= before.elements) continue;
      if (elements > MAX_CONVERSATIONS)
        throw new JsonFileError("The file has more than 20,000 conversations. Split it into smaller files.");
      const parsed = await pool.run(element, signal);
      if ("reason" in parsed) count(leftOut, parsed.reason);
      else if (storeConversation(person, importId, parsed, defaultModel) === "already")
        report.alreadyImported++;
      else {
        report.imported++;
        report.messages += parsed.messages.length;
        for (const [reason, n] of parsed.leftOut) count(leftOut, reason, n);
      }
      if (elements % REPORT_EVERY === 0) store();
    }
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    report.error = error.message;
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
