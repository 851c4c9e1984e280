import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

interface Options {
  /** Drafts are per user, also within one tab. */
  person: string;
  conversationId: string | undefined;
  /** Returned by the server; it wins over the stored draft. */
  returned: string | undefined;
  /** The newest message of the loaded conversation. */
  lastQuestion: string | undefined;
  input: RefObject<HTMLTextAreaElement>;
}

const keyOf = (person: string, conversationId: string | undefined) =>
  `draft:${person}:${conversationId ?? "new"}`;

/** Marks a restored text whose delivery is unknown. */
const unsureKeyOf = (key: string) => `${key}:unsure`;

/** A stored draft, unless it is a message that arrived although the page was left before the response. */
function readUndelivered(key: string, lastQuestion: string | undefined): string {
  const text = read(key);
  const isDelivered = text !== "" && text.trim() === lastQuestion && read(unsureKeyOf(key)) === text;
  write(unsureKeyOf(key), "");
  if (isDelivered) write(key, "");
  return isDelivered ? "" : text;
}

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

export function useDraft({ person, conversationId, returned, lastQuestion, input }: Options) {
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
    const text =
      returned ?? (input.current?.value || readUndelivered(keyOf(person, currentId.current), lastQuestion));
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
  const restore = useCallback(
    (text: string) => {
      change(current.current || text);
      if (current.current === text) write(unsureKeyOf(keyOf(person, currentId.current)), text);
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
