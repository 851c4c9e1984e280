import { createContext, useContext } from "react";
import type { ChatMessage, ChatQuery } from "../chat.schema";
import type { ChatChoices } from "../chat-choices.shared";

export type Panel = NonNullable<ChatQuery["panel"]>;

export interface Branching {
  action: string;
  models: ChatChoices["models"];
  busy: boolean;
  /** The open panel and its message. */
  opened: { panel: Panel; messageId: string } | undefined;
  /** Address with a panel open, or none. */
  addressOf: (panel?: Panel, of?: string) => string;
  compared: { messages: ChatMessage[]; renderings: Readonly<Record<string, string>> } | undefined;
  onRegenerate: (messageId: string, model?: string) => void;
  onEdit: (messageId: string, content: string, onAccepted: () => void) => void;
  /** The text of an edit that wasn't accepted yet. */
  unsentEdit: (messageId: string) => string | undefined;
  /** A refused edit, with the reason. */
  refused: { messageId: string; content: string; error: string } | undefined;
}

const Context = createContext<Branching | undefined>(undefined);

export const BranchingProvider = Context.Provider;

/** Undefined for read-only and unsaved messages. */
export function useBranching({ id }: Pick<ChatMessage, "id">): Branching | undefined {
  const branching = useContext(Context);
  return id.startsWith("local-") ? undefined : branching;
}

/** The panel that is open at a message. */
export function useOpenedPanel(message: ChatMessage): Panel | undefined {
  const opened = useBranching(message)?.opened;
  return opened?.messageId === message.id ? opened.panel : undefined;
}
