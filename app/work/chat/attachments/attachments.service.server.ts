import { buffer } from "node:stream/consumers";
import type { Model } from "~/ai/models/models.schema";
import { contextLength, listModels, takes } from "~/ai/models/models.service.server";
import { audioFormat } from "~/ai/models/voice.service.server";
import { whileAccessLasts } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { readRaster } from "~/core/raster";
import { append } from "~/platform/audit/audit.service.server";
import type { MultipartPart } from "~/platform/endpoint/endpoint.shared";
import { recordFile } from "~/platform/files/files.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { cleanFileName } from "~/work/documents/ingestion/names.service.server";
import { readFileInProcess } from "~/work/extraction/read-document.service.server";
import { findConversation } from "../chat.repo.server";
import type { MessagePart } from "../chat.schema";
import { transcribeSpeech } from "../voice/voice.service.server";
import {
  type AttachmentRow,
  attachToConversation,
  deleteAttachment,
  findAttachment,
  insertAttachment,
  listAttachments,
  listOfConversation,
  listUnsent,
} from "./attachments.repo.server";
import type { Attachment, AttachmentPart, UploadedAttachment } from "./attachments.schema";
import { blobPath, readBlob, removeUnused, type StoredBlob, storeBlob, storedPath } from "./blobs.server";
import { checkImage } from "./check-file.server";
import {
  ATTACHMENT_LIMITS,
  IMAGE_TOKENS,
  isImage,
  isRecording,
  sizeRefusal,
  TOO_MANY_FILES,
} from "./limits.shared";

/** Average of UTF-8 text. */
const BYTES_PER_TOKEN = 4;

function toAttachment(row: AttachmentRow): Attachment {
  const { id, name, mediaType, size, tokens, width, height } = row;
  const dimensions = width !== null && height !== null ? { width, height } : {};
  return { id, name, mediaType, size, tokens, ...dimensions };
}

type Facts = Pick<AttachmentRow, "mediaType" | "textSha" | "textLength" | "tokens" | "width" | "height">;

async function textOf(
  actor: Actor,
  bytes: Buffer<ArrayBuffer>,
  task: Parameters<typeof readFileInProcess>[0],
  signal: AbortSignal,
): Promise<{ mediaType: string; text: string }> {
  const sound = audioFormat(bytes);
  if (!sound) return readFileInProcess(task, signal);
  const text = await transcribeSpeech(actor, bytes, sound, signal);
  if (text === "") throw new AppError("unprocessable", "Nothing is said in this recording.");
  return { mediaType: sound.mediaType, text: text.slice(0, task.maxLength) };
}

/** The text of a file, or what is said in a recording. */
async function readFacts(
  actor: Actor,
  bytes: Buffer<ArrayBuffer>,
  blob: StoredBlob,
  file: { name: string; contentType: string },
  keep: (blob: StoredBlob) => void,
  signal: AbortSignal,
): Promise<Facts> {
  const image = checkImage(bytes, file.name);
  if (image) {
    const { mediaType, width, height } = image;
    return { mediaType, width, height, textSha: null, textLength: null, tokens: IMAGE_TOKENS };
  }
  const task = { path: blobPath(blob.sha), ...file, maxLength: ATTACHMENT_LIMITS.textLength };
  const { mediaType, text } = await textOf(actor, bytes, task, signal);
  const utf8 = Buffer.from(text.toWellFormed());
  const stored = await storeBlob(utf8);
  keep(stored);
  return {
    mediaType,
    textSha: stored.sha,
    textLength: text.length,
    tokens: Math.ceil(utf8.length / BYTES_PER_TOKEN),
    width: null,
    height: null,
  };
}

/** @throws AppError `conflict` if the person would have too many unsent files, or too large ones */
function assertRoom(tx: Db, actor: Actor, size: number): void {
  const { unsent, unsentBytes } = ATTACHMENT_LIMITS;
  const files = listUnsent(tx, actor);
  const bytes = files.reduce((sum, file) => sum + file.size, size);
  if (files.length >= unsent)
    throw new AppError("conflict", `You have ${unsent} unsent files. Send or remove some.`);
  if (bytes <= unsentBytes) return;
  const limit = `${unsentBytes / 1_000_000} MB`;
  throw new AppError("conflict", `Your unsent files would have more than ${limit}. Send or remove some.`);
}

async function receiveFile(
  actor: Actor,
  name: string,
  part: Extract<MultipartPart, { kind: "file" }>,
  signal: AbortSignal,
): Promise<Attachment> {
  const bytes = await buffer(part.bytes);
  const refusal = sizeRefusal(bytes.length, readRaster(bytes) === undefined ? "file" : "image");
  if (refusal) throw new AppError(bytes.length === 0 ? "invalid" : "too_large", refusal);
  assertRoom(db(), actor, bytes.length);
  const blob = await storeBlob(bytes);
  const blobs = [blob];
  try {
    const file = { name, contentType: part.contentType.slice(0, 200) };
    const facts = await readFacts(actor, bytes, blob, file, (one) => blobs.push(one), signal);
    signal.throwIfAborted();
    const row: AttachmentRow = {
      id: newId("att"),
      orgId: actor.orgId,
      userId: actor.userId,
      conversationId: null,
      name,
      size: bytes.length,
      sha: blob.sha,
      ...facts,
      createdAt: now(),
    };
    transaction((tx) => {
      // Another upload may have filled it since.
      assertRoom(tx, actor, row.size);
      insertAttachment(tx, row);
      for (const { sha, bytes: length } of blobs)
        recordFile(tx, { path: storedPath(sha), sha, bytes: length });
      append(tx, actor, {
        action: "attachment.added",
        resource: `attachment:${row.id}`,
        details: { mediaType: row.mediaType, size: row.size },
      });
    });
    return toAttachment(row);
  } catch (error) {
    // Deferred until the files are released below: a pinned file isn't removed.
    runNext("the removal of unused attachments", () => removeUnused(blobs.map(({ sha }) => sha)));
    throw error;
  } finally {
    for (const { release } of blobs) release();
  }
}

/** Stores the files of an upload independently of each other; `onField` receives its fields. */
export function receiveAttachments(
  actor: Actor,
  parts: AsyncIterable<MultipartPart>,
  { signal, onField }: { signal?: AbortSignal; onField?: (name: string, value: string) => void } = {},
): Promise<UploadedAttachment[]> {
  authorise(actor, "chat.use");
  const message = "The upload was stopped because your permissions changed. Ask an admin.";
  const receive = async (either: AbortSignal) => {
    const files: UploadedAttachment[] = [];
    for await (const part of parts) {
      either.throwIfAborted();
      if (part.kind === "field") onField?.(part.name, part.value);
      // Browsers send an empty, nameless part for an empty file field.
      else if (part.fileName !== "") files.push(await receiveOne(actor, part, files.length, either));
    }
    return files;
  };
  return whileAccessLasts(actor, message, receive, signal);
}

/** As `receiveAttachments`. @throws AppError `invalid` without a file, `unprocessable` if all were refused */
export async function uploadAttachments(
  actor: Actor,
  parts: AsyncIterable<MultipartPart>,
  signal?: AbortSignal,
): Promise<UploadedAttachment[]> {
  const files = await receiveAttachments(actor, parts, signal ? { signal } : {});
  if (files.some(({ attachment }) => attachment !== null)) return files;
  const refused = files.map(({ name, error }) => `${name}: ${error}`);
  const message = refused.slice(0, 5).join(" ") || "Choose a file.";
  throw new AppError(files.length > 0 ? "unprocessable" : "invalid", message, {
    fields: { files: refused.length > 0 ? refused : [message] },
  });
}

async function receiveOne(
  actor: Actor,
  part: Extract<MultipartPart, { kind: "file" }>,
  before: number,
  signal: AbortSignal,
): Promise<UploadedAttachment> {
  const name = cleanFileName(part.fileName);
  if (before >= ATTACHMENT_LIMITS.perMessage) return { name, attachment: null, error: TOO_MANY_FILES };
  try {
    return { name, attachment: await receiveFile(actor, name, part, signal), error: null };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || error.code === "internal") throw error;
    return { name, attachment: null, error: error.message };
  }
}

function requireAttachment(actor: Actor, id: string): AttachmentRow {
  const row = findAttachment(db(), actor, id);
  if (!row) throw new AppError("not_found", "Attachment not found.");
  return row;
}

export function readAttachment(actor: Actor, id: string): Attachment {
  authorise(actor, "chat.use");
  return toAttachment(requireAttachment(actor, id));
}

export function listUnsentAttachments(actor: Actor): Attachment[] {
  authorise(actor, "chat.use");
  return listUnsent(db(), actor).map(toAttachment);
}

export function listConversationAttachments(actor: Actor, conversationId: string): Attachment[] {
  authorise(actor, "chat.use");
  if (!findConversation(db(), actor, conversationId))
    throw new AppError("not_found", "Conversation not found.");
  return listOfConversation(db(), conversationId).map(toAttachment);
}

/** @throws AppError `not_found`, `conflict` for a sent attachment */
export function removeAttachment(actor: Actor, id: string): void {
  authorise(actor, "chat.use");
  const row = requireAttachment(actor, id);
  if (row.conversationId !== null)
    throw new AppError("conflict", "This file has been sent. Delete the conversation to delete it.");
  transaction((tx) => {
    deleteAttachment(tx, id);
    append(tx, actor, { action: "attachment.removed", resource: `attachment:${id}` });
  });
  removeUnused([row.sha, ...(row.textSha ? [row.textSha] : [])]);
}

/** What is said in unsent recordings, which are removed for it. Other attachments stay. */
export async function takeTranscripts(
  actor: Actor,
  attachments: readonly Attachment[],
): Promise<{ text: string; others: Attachment[] }> {
  authorise(actor, "chat.use");
  const texts: string[] = [];
  const others: Attachment[] = [];
  for (const attachment of attachments) {
    const { textSha } = requireAttachment(actor, attachment.id);
    const bytes = isRecording(attachment) && textSha ? await readBlob(textSha) : undefined;
    if (!bytes) {
      others.push(attachment);
      continue;
    }
    texts.push(bytes.toString("utf8"));
    removeAttachment(actor, attachment.id);
  }
  return { text: texts.join("\n\n"), others };
}

export async function openAttachment(
  actor: Actor,
  id: string,
): Promise<Attachment & { sha: string; bytes: Buffer }> {
  authorise(actor, "chat.use");
  const row = requireAttachment(actor, id);
  const bytes = await readBlob(row.sha);
  if (!bytes) throw new AppError("not_found", "The file of this attachment is missing.");
  return { ...toAttachment(row), sha: row.sha, bytes };
}

/**
 * Parts of a message's attachments, in order.
 * @throws AppError `invalid` for ids that aren't the person's own, unsent or of this conversation
 */
export function attachmentParts(
  actor: Actor,
  ids: readonly string[],
  conversationId: string | undefined,
): AttachmentPart[] {
  return [...new Set(ids)].map((id) => {
    const row = findAttachment(db(), actor, id);
    if (row && (row.conversationId === null || row.conversationId === conversationId))
      return { type: "attachment", ...toAttachment(row) };
    return refuse(`The attachment "${id}" was not found. Attach the file again.`);
  });
}

/** Call in the transaction that stores the message. */
export function keepAttachments(tx: Db, parts: readonly AttachmentPart[], conversationId: string): void {
  const ids = parts.map(({ id }) => id);
  if (ids.length === 0) return;
  const rows = listAttachments(tx, ids);
  const isTaken = (row: AttachmentRow) =>
    row.conversationId !== null && row.conversationId !== conversationId;
  // Another tab may have sent or removed one.
  if (rows.length < new Set(ids).size || rows.some(isTaken))
    throw new AppError("conflict", "An attachment was already sent or removed. Attach the file again.");
  attachToConversation(tx, ids, conversationId);
}

/** By what is known of the model, and by what its providers refused. */
export const canSee = (
  { orgId }: Pick<Actor, "orgId">,
  { id, capabilities }: Pick<Model, "id" | "capabilities">,
) => capabilities.includes("vision") && takes(orgId, id, "images");

function refuse(message: string): never {
  throw new AppError("invalid", message, { fields: { attachments: [message] } });
}

const namesOf = (parts: readonly AttachmentPart[]) => parts.map(({ name }) => `"${name}"`).join(", ");

export function seesImages(actor: Actor, modelId: string): boolean {
  const model = listModels(actor).find(({ id }) => id === modelId);
  return model === undefined || canSee(actor, model);
}

/** @throws AppError `invalid` for attachments that the model can't take, with a suitable model */
export function assertModelAccepts(actor: Actor, modelId: string, parts: readonly MessagePart[]): void {
  const files = parts.filter((part) => part.type === "attachment");
  if (files.length === 0) return;
  const models = listModels(actor);
  const model = models.find(({ id }) => id === modelId);
  if (!model) return;
  const images = files.filter(isImage);
  if (images.length > 0 && !canSee(actor, model)) {
    const seeing = models.filter((one) => canSee(actor, one));
    const other = seeing.find(({ recommended }) => recommended) ?? seeing[0];
    const instead = other ? `Choose ${other.name}` : "Choose a model with vision";
    refuse(`${model.name} can't read images. ${instead}, or send the message without ${namesOf(images)}.`);
  }
  const tokens = files.reduce((sum, part) => sum + part.tokens, 0);
  const length = contextLength(actor.orgId, modelId);
  if (length === undefined || tokens < length) return;
  const [max, has] = [length, tokens].map((count) => count.toLocaleString("en-US"));
  const longest = files.toSorted((a, b) => b.tokens - a.tokens).slice(0, 1);
  refuse(
    `The attached files have about ${has} tokens, and the context of ${model.name} has ${max}. Remove ${namesOf(longest)} or choose a model with a longer context.`,
  );
}
