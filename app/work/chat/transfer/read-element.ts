import { parseWellFormed } from "~/core/well-formed";
import { chatgpt } from "./formats/chatgpt";
import { claude } from "./formats/claude";
import type { ExportFormat } from "./formats/format";
import { librechat } from "./formats/librechat";
import { lobechat } from "./formats/lobechat";
import { openWebui } from "./formats/open-webui";
import { own } from "./formats/own";
import { type ImportedConversation, LEFT_OUT } from "./imported-conversation";
import type { JsonElement } from "./json-elements";

const FORMATS: readonly ExportFormat[] = [own, chatgpt, claude, openWebui, lobechat, librechat];

const REFUSED = {
  "too-large": LEFT_OUT.large,
  "too-deep": LEFT_OUT.deep,
  "too-many-values": LEFT_OUT.values,
  "not-utf8": LEFT_OUT.encoding,
};

function parse(text: string): unknown {
  try {
    return parseWellFormed(text);
  } catch {
    return undefined;
  }
}

/** A conversation, or why it is left out. */
export type ReadConversation = ImportedConversation | { reason: string };

/** The conversations of an export's element; most formats have one in each. */
export function readElement(element: JsonElement): ReadConversation[] {
  if ("refusal" in element) return [{ reason: REFUSED[element.refusal] }];
  const value = parse(element.text);
  if (typeof value !== "object" || value === null) return [{ reason: LEFT_OUT.unreadable }];
  const format = FORMATS.find(({ members }) => members.some((member) => Object.hasOwn(value, member)));
  if (!format) return [{ reason: LEFT_OUT.unknown }];
  const conversations = format.read(value);
  if (!conversations) return [{ reason: LEFT_OUT.unreadable }];
  if (conversations.length === 0) return [{ reason: LEFT_OUT.none }];
  return conversations.map((one) => (one.messages.length > 0 ? one : { reason: LEFT_OUT.none }));
}
