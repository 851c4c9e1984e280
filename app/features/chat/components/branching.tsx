import { createContext, useContext } from "react";
import type { ChatMessage, ChatQuery } from "../chat.schema";
import type { ChatChoices } from "../chat-choices.schema";

export type Panel = NonNullable<ChatQuery["panel"]>;

/** What a conversation's screen lets one do with its messages. */
export interface Branching {
  /** The conversation's address, which takes its forms. */
  action: string;
  models: ChatChoices["models"];
  /** An answer is being written, and nothing else can begin. */
  busy: boolean;
  /** What is open at a message. */
  opened: { panel: Panel; of: string } | undefined;
  /** The address of the page with something open at a message, or with nothing open. */
  addressOf: (panel?: Panel, of?: string) => string;
  /** Variants that are shown side by side. */
  compared: { messages: ChatMessage[]; renderings: Readonly<Record<string, string>> } | undefined;
  /** Regenerates an answer in place. */
  onRegenerate: (messageId: string, model?: string) => void;
  /** Asks a message again with another text, in place. */
  onEdit: (messageId: string, content: string) => void;
  /** What the server refused of an edited message, with the reason. */
  refused: { messageId: string; content: string; error: string } | undefined;
}

const Context = createContext<Branching | undefined>(undefined);

export const BranchingProvider = Context.Provider;

/** Undefined where messages are only read, and for those that the server doesn't have. */
export function useBranching({ id }: Pick<ChatMessage, "id">): Branching | undefined {
  const branching = useContext(Context);
  return id.startsWith("local-") ? undefined : branching;
}
