import { createContext, type MouseEvent, useCallback, useContext, useRef, useState } from "react";
import type { AnswerSource } from "../sources.shared";
import type { ChatDrawerState } from "./chat-drawer";

type OpenSource = (event: MouseEvent<HTMLAnchorElement>, source: AnswerSource) => void;

const Context = createContext<OpenSource | undefined>(undefined);

export const OpenSourceProvider = Context.Provider;

/** Opens a citation beside the conversation; undefined where its link leads to the document's page. */
export const useOpenSource = () => useContext(Context);

/** The source that is shown beside a conversation, if one is; another conversation begins without. */
export function useOpenedSource(conversationId: string | undefined) {
  const [opened, setOpened] = useState<{ source: AnswerSource; conversationId: string | undefined }>();
  const opener = useRef<HTMLElement>();
  const open = useCallback<OpenSource>(
    (event, source) => {
      // Other clicks open a tab or a window.
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      opener.current = event.currentTarget;
      setOpened({ source, conversationId });
    },
    [conversationId],
  );
  const close = useCallback(() => {
    setOpened(undefined);
    opener.current?.focus({ preventScroll: true });
  }, []);
  const source = opened?.conversationId === conversationId ? opened?.source : undefined;
  return { source, open, close };
}

type OpenedSource = ReturnType<typeof useOpenedSource>;

/** The drawer gives its column to an open source, and takes it back. */
export function drawerBeside(drawer: ChatDrawerState, { source, close }: OpenedSource): ChatDrawerState {
  if (!source) return drawer;
  return {
    ...drawer,
    closed: true,
    toggle: (event) => {
      close();
      if (drawer.closed) drawer.toggle(event);
      else event.preventDefault();
    },
  };
}
