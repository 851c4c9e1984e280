import type { DocumentFormat } from "../format";
import { readMessage } from "../mail/message";
import { parseMsg } from "../mail/msg";

const CONTAINER = "\xd0\xcf\x11\xe0";
/** A stream that every message has, in the container's UTF-16. */
const PROPERTIES = Buffer.from("__properties_version1.0", "utf16le");

export const msg: DocumentFormat = {
  label: "Outlook message",
  endings: [".msg"],
  types: ["application/vnd.ms-outlook"],
  isText: false,
  recognises: ({ start, bytes }) =>
    start.startsWith(CONTAINER) &&
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(PROPERTIES),
  async read({ bytes }) {
    return readMessage(await parseMsg(bytes), this.label);
  },
  async innerFiles({ bytes }) {
    return (await parseMsg(bytes)).attachments;
  },
};
