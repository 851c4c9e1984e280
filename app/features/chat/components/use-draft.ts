import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

interface Options {
  /** Drafts are a person's own, also where the next one signs in in the same tab. */
  person: string;
  conversationId: string | undefined;
  /** What the server sent back; it wins over what is stored. */
  returned: string | undefined;
  input: RefObject<HTMLTextAreaElement>;
}

const keyOf = (person: string, conversationId: string | undefined) =>
  `draft:${person}:${conversationId ?? "new"}`;

function read(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    // Storage is switched off: drafts last as long as the page.
    return "";
  }
}

function write(key: string, text: string): void {
  try {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // Switched off or full.
  }
}

/** The text being written, kept for each conversation over leaving and reloading. */
export function useDraft({ person, conversationId, returned, input }: Options) {
  const [content, setContent] = useState(returned ?? "");
  const current = useRef(content);
  const shown = useRef(conversationId);

  const change = useCallback(
    (text: string) => {
      current.current = text;
      setContent(text);
      write(keyOf(person, shown.current), text);
    },
    [person],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page's script takes over.
  useEffect(() => {
    // What was typed before then is newer.
    const text = returned ?? (input.current?.value || read(keyOf(person, shown.current)));
    if (text) change(text);
  }, []);

  useEffect(() => {
    if (conversationId === shown.current) return;
    shown.current = conversationId;
    const text = read(keyOf(person, conversationId));
    current.current = text;
    setContent(text);
  }, [conversationId, person]);

  /** A text that was not taken comes back, unless something else was typed in the meantime. */
  const restore = useCallback((text: string) => change(current.current || text), [change]);

  /** The new conversation has its id. */
  const rename = useCallback(
    (id: string) => {
      write(keyOf(person, shown.current), "");
      shown.current = id;
      write(keyOf(person, id), current.current);
    },
    [person],
  );

  return { content, change, restore, rename };
}
