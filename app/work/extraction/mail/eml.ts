import type { Address, Attachment, Email } from "postal-mime";
import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import { encrypted, type Message, sealed } from "./message";

/** Levels of parts; programs write fewer than ten. */
const MAX_DEPTH = 50;
const SUBJECT_BYTES = 65_536;

const ENCRYPTED_TYPE = /^(?:multipart\/encrypted|application\/(?:x-)?pkcs7-mime)/i;
const SIGNATURE_TYPE = /^application\/(?:pgp-signature|(?:x-)?pkcs7-signature)$/;

/** Apple Mail writes the message's length in bytes before it, and its own properties after it. */
function messageBytes(bytes: Uint8Array): Uint8Array {
  const length = /^(\d{1,10})[ \t]*\r?\n/.exec(Buffer.from(bytes.subarray(0, 20)).toString("latin1"));
  return length ? bytes.subarray(length[0].length, length[0].length + Number(length[1])) : bytes;
}

async function parse(bytes: Uint8Array): Promise<Email> {
  const { default: PostalMime } = await import("postal-mime");
  const read = async (raw: Uint8Array | string) => {
    try {
      return await PostalMime.parse(raw, { forceRfc822Attachments: true, maxNestingDepth: MAX_DEPTH });
    } catch (cause) {
      throw new AppError(
        "invalid",
        "The parts of this message are nested too deeply, or its headers are too long. Save it again.",
        { cause },
      );
    }
  };
  const email = await read(bytes);
  const errors = countReplaced(email);
  if (errors === 0) return email;
  // Bytes in a charset that the message doesn't name.
  const guessed = await read(decodeText(bytes, ""));
  return countReplaced(guessed) < errors ? guessed : email;
}

const countReplaced = ({ subject = "", text = "", html = "" }: Email): number =>
  (subject + text + html).split("\ufffd").length - 1;

function nameOf({ name, address, group }: Address): string {
  if (group) return [name, group.map(nameOf).join(", ")].filter(Boolean).join(": ");
  return name && address ? `${name} <${address}>` : name || address || "";
}

function bytesOf({ content }: Attachment): Uint8Array {
  if (typeof content === "string") return Buffer.from(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}

/** A forwarded message often has no file name: it is named by its subject. */
async function attachmentName(attachment: Attachment, number: number): Promise<string> {
  if (attachment.filename) return attachment.filename;
  if (attachment.mimeType !== "message/rfc822") return `Attachment ${number}`;
  const { subject } = await parse(bytesOf(attachment).subarray(0, SUBJECT_BYTES));
  return `${subject?.trim().replaceAll("/", "-") || `Message ${number}`}.eml`;
}

/** @throws AppError `invalid` if it is encrypted, or its parts are nested too deeply */
export async function parseEml(file: Uint8Array): Promise<Message> {
  const email = await parse(messageBytes(file));
  const header = (key: string) => email.headers.find((one) => one.key === key)?.value ?? "";
  const { from, to = [], cc = [], subject = "", html = "", text = "" } = email;
  const type = header("content-type");
  if (ENCRYPTED_TYPE.test(type)) throw /signed-data/i.test(type) ? sealed() : encrypted();
  const message: Message = {
    subject,
    from: from ? nameOf(from) : "",
    to: to.map(nameOf),
    cc: cc.map(nameOf),
    date: header("date"),
    html,
    text,
    attachments: [],
    leftOut: [],
    notes: [],
  };
  for (const [index, attachment] of email.attachments.entries()) {
    const { mimeType, method, related } = attachment;
    if (SIGNATURE_TYPE.test(mimeType)) message.leftOut.push(["signature", "signatures"]);
    else if (related && mimeType.startsWith("image/"))
      message.leftOut.push(["inline image", "inline images"]);
    else if (method) message.leftOut.push(["calendar entry", "calendar entries"]);
    else if (ENCRYPTED_TYPE.test(mimeType))
      message.notes.push("A part of this message is encrypted and wasn't read.");
    else {
      const name = await attachmentName(attachment, index + 1);
      message.attachments.push({ name, contentType: mimeType, bytes: bytesOf(attachment) });
    }
  }
  return message;
}
