import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import { parseFeed } from "~/core/parse-feed";
import { clip } from "~/core/well-formed";
import { parseEml } from "~/work/extraction/mail/eml";
import { readBody } from "~/work/extraction/mail/message";
import type { InboundTask, ReadInbound, ReadMail } from "./inbound.schema";

/** In characters: a run's trigger data are in one row. */
const MAX_TEXT = 100_000;
const MAX_HEADER = 1000;
const MAX_RECIPIENTS = 50;
/** Files of a message, one of them and all, in bytes: they are stored with the run in one commit. */
const MAX_FILES = 8;
const MAX_FILE_BYTES = 4_000_000;
const MAX_FILES_BYTES = 8_000_000;

/** @throws AppError `unprocessable` for what isn't a feed, `invalid` for a message that can't be read */
export async function readInbound(task: InboundTask): Promise<ReadInbound> {
  if (task.kind === "mail") return readMail(task.bytes);
  return parseFeed(decodeText(task.bytes, task.contentType), task.limit);
}

const header = (value: string) => clip(value.toWellFormed().replaceAll(/\s+/g, " ").trim(), MAX_HEADER);

const megabytes = (bytes: number) => `${bytes / 1e6} MB`;

/** @param files kept before it, with their size in bytes */
function whyLeftOut(size: number, files: number, total: number): string | undefined {
  if (size === 0) return "it is empty";
  if (size > MAX_FILE_BYTES) return `a file has at most ${megabytes(MAX_FILE_BYTES)}`;
  if (files === MAX_FILES) return `a message has at most ${MAX_FILES} files`;
  return total + size > MAX_FILES_BYTES
    ? `its files have at most ${megabytes(MAX_FILES_BYTES)} together`
    : undefined;
}

async function readMail(bytes: Uint8Array): Promise<ReadMail> {
  const message = await parseEml(bytes);
  const notes = [...message.notes];
  let text = message.text.trim();
  try {
    text ||= readBody(message);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    notes.push(error.message);
  }
  if (text.length > MAX_TEXT)
    notes.push(`The text is longer than ${MAX_TEXT.toLocaleString("en-US")} characters.`);
  const files: ReadMail["files"] = [];
  let total = 0;
  for (const { name, contentType, bytes: content } of message.attachments) {
    const reason = whyLeftOut(content.length, files.length, total);
    if (reason) notes.push(`The attachment "${header(name)}" was left out: ${reason}.`);
    else {
      total += content.length;
      files.push({ name: header(name), type: header(contentType), bytes: content });
    }
  }
  return {
    from: header(message.from),
    to: message.to.slice(0, MAX_RECIPIENTS).map(header),
    cc: message.cc.slice(0, MAX_RECIPIENTS).map(header),
    subject: header(message.subject),
    date: header(message.date),
    text: clip(text.toWellFormed(), MAX_TEXT),
    files,
    notes: notes.slice(0, MAX_RECIPIENTS),
  };
}
