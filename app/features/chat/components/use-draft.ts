import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

interface Options {
  /** Drafts are per user, also within one tab. */
  person: string;
  conversationId: string | undefined;
  /** Returned by the server; it wins over the stored draft. */
  returned: string | undefined;
  input: RefObject<HTMLTextAreaElement>;
}

const keyOf = (person: string, conversationId: string | undefined) =>
  `draft:${person}:${conversationId ?? "new"}`;

function read(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function write(key: string, text: string): void {
  try {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // Disabled or full.
  }
}

export function useDraft({ person, conversationId, returned, input }: Options) {
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
    // Text typed before hydration is newer.
    const text = returned ?? (input.current?.value || read(keyOf(person, currentId.current)));
    if (text) change(text);
  }, []);

  useEffect(() => {
    if (conversationId === currentId.current) return;
    currentId.current = conversationId;
    const text = read(keyOf(person, conversationId));
    current.current = text;
    setContent(text);
  }, [conversationId, person]);

  /** Restores unsent text unless the field has other text. */
  const restore = useCallback((text: string) => change(current.current || text), [change]);

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
