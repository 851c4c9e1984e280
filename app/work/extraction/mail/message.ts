import { AppError } from "~/core/errors";
import type { Facts, ReadDocument } from "../document.schema";
import { DocumentBuilder, oneLine } from "../document-builder";
import type { SourceFile } from "../format";
import { addHtml } from "../html/blocks";
import { parseDocument } from "../html/page";

/** A message of any mail format. */
export interface Message {
  subject: string;
  from: string;
  to: string[];
  cc: string[];
  /** As the sender's program wrote it. */
  date: string;
  html: string;
  text: string;
  attachments: SourceFile[];
  /** Counts what a reader leaves out by choice; see `DocumentBuilder.leaveOut`. */
  leftOut: (readonly [one: string, many: string])[];
  notes: string[];
}

const PGP = /-----BEGIN PGP MESSAGE-----[\s\S]*?(?:-----END PGP MESSAGE-----|$)/g;
/** Names of attachments in the head; the others are counted. */
const MAX_LISTED = 50;

export const encrypted = (): AppError =>
  new AppError("invalid", "This message is encrypted. Save it without encryption and try again.");

/** Signed as a whole: the text is within the signature (S/MIME). */
export const sealed = (): AppError =>
  new AppError("invalid", "The text of this message is within its signature. Save it without and try again.");

function addBody(builder: DocumentBuilder, { html, text }: Message): void {
  const before = builder.length;
  if (html) addHtml(builder, parseDocument(html).documentElement);
  if (builder.length > before) return;
  const readable = text.replace(PGP, "");
  if (readable.length < text.length) {
    if (!readable.trim()) throw encrypted();
    builder.note("A part of this message is encrypted and wasn't read.");
  }
  builder.paragraphs(readable);
}

function headOf({ from, to, cc, date, attachments }: Message): string {
  const names = attachments.slice(0, MAX_LISTED).map(({ name }) => oneLine(name));
  if (attachments.length > MAX_LISTED) names.push(`${attachments.length - MAX_LISTED} others`);
  const lines = [
    ["From", from],
    ["To", to.join(", ")],
    ["Cc", cc.join(", ")],
    ["Date", date],
    ["Attachments", names.join(", ")],
  ] as const;
  return lines.flatMap(([label, value]) => (value ? [`${label}: ${oneLine(value)}`] : [])).join("\n");
}

/** The text of its body alone. @throws AppError `invalid` if it is encrypted */
export function readBody(message: Message): string {
  const builder = new DocumentBuilder();
  addBody(builder, message);
  return builder.finish("", { format: "" }).text;
}

/** The document of a message: its head as people read it, then its body. */
export function readMessage(message: Message, format: string): ReadDocument {
  const builder = new DocumentBuilder();
  builder.heading(1, message.subject || "No subject");
  builder.add("paragraph", headOf(message));
  addBody(builder, message);
  for (const [one, many] of message.leftOut) builder.leaveOut(one, many);
  for (const note of message.notes) builder.note(note);
  const sent = new Date(message.date);
  const facts: Facts = {
    format,
    ...(message.from ? { author: oneLine(message.from) } : {}),
    ...(Number.isNaN(sent.getTime()) ? {} : { created: sent.toISOString() }),
    ...(message.attachments.length > 0 ? { files: message.attachments.length } : {}),
  };
  return builder.finish(message.subject, facts);
}
