import type { DocumentFormat } from "../format";
import { readMessage } from "../mail/message";
import { parseMsg } from "../mail/msg";

export const msg: DocumentFormat = {
  label: "Outlook message",
  endings: [".msg"],
  types: ["application/vnd.ms-outlook"],
  streams: ["__properties_version1.0"],
  isText: false,
  async read({ bytes }) {
    return readMessage(await parseMsg(bytes), this.label);
  },
  async innerFiles({ bytes }) {
    return (await parseMsg(bytes)).attachments;
  },
};
