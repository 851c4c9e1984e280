import type { DocumentFormat } from "../format";
import { parseEml } from "../mail/eml";
import { readMessage } from "../mail/message";

/** Apple Mail writes a length first, mailboxes a line "From ". */
const HEAD =
  /^(?:\d{1,10}[ \t]*\r?\n|From [^\n]{1,200}\n)?((?:[!-9;-~]{1,76}:[^\n]*\n(?:[ \t][^\n]*\n){0,50}){2,})/;
const ROUTE = /^(?:received|return-path|delivered-to|message-id|mime-version):|^from:[^\n]*@/im;
const ABOUT = /^(?:from|subject|date|content-type):/im;

export const eml: DocumentFormat = {
  label: "Email",
  endings: [".eml", ".emlx"],
  types: ["message/rfc822"],
  isText: false,
  recognizes({ start }) {
    const head = HEAD.exec(start)?.[1] ?? "";
    return ROUTE.test(head) && ABOUT.test(head);
  },
  async read({ bytes }) {
    return readMessage(await parseEml(bytes), this.label);
  },
  async innerFiles({ bytes }) {
    return (await parseEml(bytes)).attachments;
  },
};
