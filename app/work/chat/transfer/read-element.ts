import { parseWellFormed } from "~/core/well-formed";
import { type ImportedConversation, LEFT_OUT } from "./imported-conversation";
import type { JsonElement } from "./json-elements";
import { ChatGptConversation, readChatGpt } from "./read-chatgpt";
import { LibreChatConversation, readLibreChat } from "./read-librechat";
import { OwnExport, readOwnExport } from "./read-own-export";

const REFUSED = { "too-large": LEFT_OUT.large, "too-deep": LEFT_OUT.deep, "not-utf8": LEFT_OUT.encoding };

function parse(text: string): unknown {
  try {
    return parseWellFormed(text);
  } catch {
    return undefined;
  }
}

/** The conversation of an export's element, or why it is left out. */
export function readElement(element: JsonElement): ImportedConversation | { reason: string } {
  if ("refusal" in element) return { reason: REFUSED[element.refusal] };
  const value = parse(element.text);
  if (typeof value !== "object" || value === null) return { reason: LEFT_OUT.unreadable };
  const read = () => {
    if ("format" in value) {
      const own = OwnExport.safeParse(value);
      return own.success ? readOwnExport(own.data) : undefined;
    }
    if ("mapping" in value) {
      const chatGpt = ChatGptConversation.safeParse(value);
      return chatGpt.success ? readChatGpt(chatGpt.data) : undefined;
    }
    const libreChat = LibreChatConversation.safeParse(value);
    return libreChat.success ? readLibreChat(libreChat.data) : undefined;
  };
  const conversation = read();
  if (!conversation) {
    const isKnown = ["format", "mapping", "messages", "messagesTree"].some((member) => member in value);
    return { reason: isKnown ? LEFT_OUT.unreadable : LEFT_OUT.unknown };
  }
  return conversation.messages.length > 0 ? conversation : { reason: LEFT_OUT.none };
}
