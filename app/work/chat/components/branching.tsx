import { useSearchParams } from "@remix-run/react";
import { createContext, useCallback, useContext, useMemo, useRef } from "react";
import type { ChatMessage, ChatQuery } from "../chat.schema";
import type { ChatChoices } from "../chat-choices.shared";
import type { useAnswer } from "./use-answer";

export type Panel = NonNullable<ChatQuery["panel"]>;

export interface Branching {
  action: string;
  models: ChatChoices["models"];
  busy: boolean;
  opened: { panel: Panel; messageId: string } | undefined;
  addressOf: (panel?: Panel, of?: string) => string;
  compared: { messages: ChatMessage[]; renderings: Readonly<Record<string, string>> } | undefined;
  /** Where the length of answers is set, for those who may. */
  limitAt: string | undefined;
  onRegenerate: (messageId: string, model?: string) => void;
  onContinue: (messageId: string) => void;
  onEdit: (messageId: string, content: string, onAccepted: () => void) => void;
  /** Keeps a begun edit while its panel is closed; without a text it is dropped. */
  keepEdit: (messageId: string, content?: string) => void;
  keptEdit: (messageId: string) => string | undefined;
  /** The person's preference for keys. */
  enterSends: boolean;
  /** Whether a model reads answers aloud; else the browser does, if it can. */
  speaks: boolean;
  refused: { messageId: string; content: string; error: string } | undefined;
}

const Context = createContext<Branching | undefined>(undefined);

export const BranchingProvider = Context.Provider;

export function useBranching({ id }: Pick<ChatMessage, "id">): Branching | undefined {
  const branching = useContext(Context);
  return id.startsWith("local-") ? undefined : branching;
}

export function useOpenedPanel(message: ChatMessage): Panel | undefined {
  const opened = useBranching(message)?.opened;
  return opened?.messageId === message.id ? opened.panel : undefined;
}

const PANELS: readonly string[] = ["edit", "again", "variants", "comment"] satisfies Panel[];
const isPanel = (name: string | null): name is Panel => name !== null && PANELS.includes(name);

interface Options extends Pick<Branching, "compared" | "refused" | "limitAt" | "enterSends" | "speaks"> {
  chat: ReturnType<typeof useAnswer>;
  choices: ChatChoices;
  disabled: boolean;
  options: Record<string, unknown>;
  onBegin: () => void;
}

export function useBranchingOf(options: Options): Branching | undefined {
  const { chat, choices, compared, refused, disabled, limitAt, enterSends, speaks } = options;
  const [search] = useSearchParams();
  const latest = useRef(options);
  latest.current = options;
  const onRegenerate = useCallback((messageId: string, model?: string) => {
    const { chat, options, onBegin } = latest.current;
    if (chat.loading) return;
    onBegin();
    void chat.regenerate(messageId, model ? { ...options, model } : options);
  }, []);
  const onContinue = useCallback((messageId: string) => {
    const { chat, onBegin } = latest.current;
    if (chat.loading) return;
    onBegin();
    void chat.goOn(messageId);
  }, []);
  const edits = useRef(new Map<string, string>());
  const keepEdit = useCallback((messageId: string, content?: string) => {
    if (content === undefined) edits.current.delete(messageId);
    else edits.current.set(messageId, content);
  }, []);
  const onEdit = useCallback((messageId: string, content: string, onAccepted: () => void) => {
    const { chat, options, onBegin } = latest.current;
    if (chat.loading) return;
    onBegin();
    edits.current.set(messageId, content);
    void chat.edit(messageId, content, options, () => {
      edits.current.delete(messageId);
      onAccepted();
    });
  }, []);
  const keptEdit = useCallback((messageId: string) => edits.current.get(messageId), []);
  const { conversationId, loading: busy } = chat;
  const { models } = choices;
  return useMemo(() => {
    if (conversationId === undefined || disabled) return undefined;
    const action = `/chat/${conversationId}`;
    const panel = refused ? "edit" : search.get("panel");
    const messageId = refused?.messageId ?? search.get("of");
    const addressOf = (opens?: Panel, at?: string) => {
      const next = new URLSearchParams(search);
      next.delete("panel");
      next.delete("of");
      if (opens && at) {
        next.set("panel", opens);
        next.set("of", at);
      }
      // Opens below an answer that may be taller than the window.
      const isBelow = opens === "again" || opens === "comment";
      const hash = at ? `#${isBelow ? "actions-" : ""}${at}` : "";
      return `${action}${next.size > 0 ? `?${next}` : ""}${hash}`;
    };
    const opened = isPanel(panel) && messageId ? { panel, messageId } : undefined;
    const does = { addressOf, onRegenerate, onContinue, onEdit, keepEdit, keptEdit };
    return { action, models, busy, opened, compared, refused, limitAt, enterSends, speaks, ...does };
  }, [
    conversationId,
    disabled,
    busy,
    models,
    search,
    compared,
    refused,
    limitAt,
    enterSends,
    speaks,
    onRegenerate,
    onContinue,
    onEdit,
    keepEdit,
    keptEdit,
  ]);
}
