import type MsgReader from "@kenjiuno/msgreader";
import type { FieldsData } from "@kenjiuno/msgreader";
import { decodeText } from "~/core/charset";
import { openCompoundFile } from "../compound-file";
import type { SourceFile } from "../format";
import { readRtf } from "../rtf/read-rtf";
import { unpackRtf } from "./compressed-rtf";
import { encrypted, type Message, sealed } from "./message";

/** Charsets of code pages whose label isn't `windows-` and the number. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  932: "shift_jis",
  936: "gb18030",
  949: "euc-kr",
  950: "big5",
  20127: "us-ascii",
  20866: "koi8-r",
  21866: "koi8-u",
  50220: "iso-2022-jp",
  50221: "iso-2022-jp",
  50222: "iso-2022-jp",
  51932: "euc-jp",
  51949: "euc-kr",
  54936: "gb18030",
  65001: "utf-8",
};

const charsetOf = (codePage: number): string =>
  CODE_PAGES[codePage] ??
  (codePage >= 28591 && codePage <= 28605 ? `iso-8859-${codePage - 28590}` : `windows-${codePage}`);

async function open(bytes: Uint8Array): Promise<{ reader: MsgReader; fields: FieldsData }> {
  if (openCompoundFile(bytes)?.isCircular) throw new Error("its sectors run in a circle");
  const [{ default: loaded }, { encodingExists }] = await Promise.all([
    import("@kenjiuno/msgreader"),
    import("iconv-lite"),
  ]);
  // A CommonJS module with its own `default`, which loaders treat in two ways.
  const Reader = "default" in loaded ? (loaded.default as typeof loaded) : loaded;
  const read = (ansiEncoding?: string) => {
    const reader = new Reader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (ansiEncoding) reader.parserConfig = { ansiEncoding };
    const fields = reader.getFileData();
    if (fields.error) throw new Error(fields.error);
    return { reader, fields };
  };
  const first = read();
  // Texts that aren't Unicode are in the message's code page, which is known only now.
  const codePage = first.fields.messageCodepage ?? first.fields.internetCodepage;
  const charset = codePage === undefined ? "" : charsetOf(codePage);
  return charset && charset !== "utf-8" && encodingExists(charset) ? read(charset) : first;
}

function person(name = "", ...addresses: (string | undefined)[]): string {
  const address = addresses.find((one) => one?.includes("@"));
  if (!address || address === name) return name || address || "";
  return name ? `${name} <${address}>` : address;
}

const recipients = ({ recipients: all = [] }: FieldsData, kind: "to" | "cc"): string[] =>
  all
    .filter(({ recipType = "to" }) => recipType === kind)
    .map(({ name, smtpAddress, email }) => person(name, smtpAddress, email));

/** The HTML that Outlook keeps within RTF; empty for RTF that isn't made of HTML. */
async function htmlWithin(rtf: Buffer): Promise<string> {
  const [{ deEncapsulateSync }, { decode }] = await Promise.all([
    import("rtf-stream-parser"),
    import("iconv-lite"),
  ]);
  try {
    const { mode, text } = deEncapsulateSync(rtf, { decode, mode: "either" });
    return mode === "html" ? String(text) : "";
  } catch {
    // The library refuses all other RTF.
    return "";
  }
}

async function bodyOf(fields: FieldsData): Promise<Pick<Message, "html" | "text">> {
  const { html: bytes, bodyHtml = "", internetCodepage = 65001, compressedRtf, body: text = "" } = fields;
  if (bytes?.length)
    return { html: decodeText(bytes, `text/html; charset=${charsetOf(internetCodepage)}`), text };
  const rtf = bodyHtml ? undefined : compressedRtf && unpackRtf(compressedRtf);
  if (!rtf) return { html: bodyHtml, text };
  const html = await htmlWithin(rtf);
  // Outlook writes its plain text beside RTF, other programs may not.
  return { html, text: html || text ? text : (await readRtf(rtf)).text };
}

function attachmentsOf(reader: MsgReader, fields: FieldsData, size: number, message: Message): SourceFile[] {
  const files: SourceFile[] = [];
  for (const attachment of fields.attachments ?? []) {
    const { attachmentHidden, contentLength = 0, innerMsgContent, attachMimeTag = "" } = attachment;
    if (attachmentHidden) {
      message.leftOut.push(["inline image", "inline images"]);
      continue;
    }
    if (contentLength > size) throw new Error("An attachment is longer than its file.");
    if (!innerMsgContent && attachment.dataId === undefined) {
      message.notes.push("An attachment that is only a link wasn't read.");
      continue;
    }
    const { content } = reader.getAttachment(attachment);
    const name = attachment.fileName ?? attachment.fileNameShort ?? attachment.name;
    const fallback = `Attachment ${files.length + 1}`;
    files.push({
      name: innerMsgContent ? `${(attachment.name || fallback).replaceAll("/", "-")}.msg` : name || fallback,
      contentType: attachMimeTag,
      bytes: content,
    });
  }
  return files;
}

/** @throws AppError `invalid` if it is encrypted; any other error means a damaged file */
export async function parseMsg(bytes: Uint8Array): Promise<Message> {
  const { reader, fields } = await open(bytes);
  const { subject = "", messageClass = "" } = fields;
  if (/^IPM\.Note\.(?:SMIME$|Secure)/i.test(messageClass)) throw encrypted();
  if (/^IPM\.Note\.SMIME\./i.test(messageClass)) throw sealed();
  const message: Message = {
    subject,
    from: person(
      fields.senderName,
      fields.senderSmtpAddress,
      fields.senderEmail,
      fields.creatorSMTPAddress,
      fields.sentRepresentingSmtpAddress,
    ),
    to: recipients(fields, "to"),
    cc: recipients(fields, "cc"),
    date: fields.clientSubmitTime ?? fields.messageDeliveryTime ?? "",
    ...(await bodyOf(fields)),
    attachments: [],
    leftOut: [],
    notes: [],
  };
  message.attachments = attachmentsOf(reader, fields, bytes.length, message);
  return message;
}
