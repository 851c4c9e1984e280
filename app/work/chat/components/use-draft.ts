import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { keepInTab, readFromTab } from "~/ui/tab-storage";
import type { ChatMessage } from "../chat.schema";

interface Options {
  /** Drafts are per user, also within one tab. */
  person: string;
  conversationId: string | undefined;
  /** Returned by the server; it wins over the stored draft. */
  returned: string | undefined;
  messages: readonly ChatMessage[] | undefined;
  input: RefObject<HTMLTextAreaElement>;
}

const keyOf = (person: string, conversationId: string | undefined) =>
  `draft:${person}:${conversationId ?? "new"}`;

/** The id that a draft was sent as, while its delivery is unknown. */
const sentKeyOf = (key: string) => `${key}:sent`;

/** A stored draft, unless it arrived although the page was left before the response. */
function readUndelivered(key: string, messages: readonly ChatMessage[] = []): string {
  const sentAs = read(sentKeyOf(key));
  if (sentAs && messages.some(({ id }) => id === sentAs)) write(key, "");
  return read(key);
}

const read = (key: string): string => readFromTab(key) ?? "";

/** Another text was not sent. */
function write(key: string, text: string): void {
  if (read(key) !== text) keepInTab(sentKeyOf(key), "");
  keepInTab(key, text);
}

export function useDraft({ person, conversationId, returned, messages, input }: Options) {
  const [content, setContent] = useState(returned ?? "");
  const current = useRef(content);
  const currentId = useRef(conversationId);

  const change = useCallback(
    (text: string) => {
      current.current = text;
      setContent(text);
      write(keyOf(person, currentId.current), text);
    },
    [person],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page's script takes over.
  useEffect(() => {
    // This conversation may have begun with the draft of a new one.
    readUndelivered(keyOf(person, undefined), messages);
    const stored = readUndelivered(keyOf(person, currentId.current), messages);
    // Text typed before hydration is newer.
    const text = returned ?? (input.current?.value || stored);
    if (text) change(text);
  }, []);

  useEffect(() => {
    if (conversationId === currentId.current) return;
    currentId.current = conversationId;
    const text = read(keyOf(person, conversationId));
    current.current = text;
    setContent(text);
  }, [conversationId, person]);

  /** Restores unsent text unless the field has other text. @param sentAs the message's id if delivery is unknown */
  const restore = useCallback(
    (text: string, sentAs = "") => {
      change(current.current || text);
      if (current.current === text) keepInTab(sentKeyOf(keyOf(person, currentId.current)), sentAs);
    },
    [change, person],
  );

  const rename = useCallback(
    (id: string) => {
      write(keyOf(person, currentId.current), "");
      currentId.current = id;
      write(keyOf(person, id), current.current);
    },
    [person],
  );

  return { content, change, restore, rename };
}
