import { createContext, type MouseEvent, useCallback, useContext, useRef, useState } from "react";
import { cx } from "~/ui/class-names";
import { lazyPart } from "~/ui/lazy-part";
import type { AnswerSource } from "../sources.shared";
import type { ChatDrawerState } from "./chat-drawer";

export const sourcePanel = lazyPart(
  () => import("./source-panel").then((module) => module.SourcePanel),
  "[data-source-panel]",
);

type OpenSource = (event: MouseEvent<HTMLAnchorElement>, source: AnswerSource) => void;

const Context = createContext<OpenSource | undefined>(undefined);

export const OpenSourceProvider = Context.Provider;

/** Opens a citation beside the conversation; undefined where there is no room for it, and its link leads to the page. */
export const useOpenSource = () => useContext(Context);

/** The source that is shown beside the conversation, if one is. */
export function useOpenedSource() {
  const [source, setSource] = useState<AnswerSource>();
  const opener = useRef<HTMLElement>();
  const open = useCallback<OpenSource>((event, clicked) => {
    // Other clicks open a tab or a window.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    opener.current = event.currentTarget;
    setSource(clicked);
  }, []);
  const close = useCallback(() => {
    setSource(undefined);
    opener.current?.focus({ preventScroll: true });
  }, []);
  return { source, open, close };
}

export type OpenedSource = ReturnType<typeof useOpenedSource>;

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

/** Classes of the box around the conversation and its source. */
export const columnsBeside = (columns: string, { source }: OpenedSource) =>
  source ? cx(columns, "xl:grid xl:grid-cols-[minmax(0,1fr)_36rem]") : columns;
