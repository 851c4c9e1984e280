import { parseHTML } from "linkedom";
import type { MouseEvent } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AnswerSource } from "../sources.shared";
import { useOpenedSource } from "./opened-source";

beforeEach(() => {
  const { document, window } = parseHTML("<html><body><main></main></body></html>");
  vi.stubGlobal("document", document);
  vi.stubGlobal("window", window);
});
afterEach(() => vi.unstubAllGlobals());

const FIRST = { number: 1 } as AnswerSource;
const SECOND = { number: 2 } as AnswerSource;

it("shows the source that was clicked last, in its conversation alone", () => {
  let opened: ReturnType<typeof useOpenedSource> | undefined;
  function Chat({ id }: { id: string | undefined }) {
    opened = useOpenedSource(id);
    return null;
  }
  const root = createRoot(document.querySelector("main") as HTMLElement);
  const show = (id: string | undefined) => flushSync(() => root.render(<Chat id={id} />));
  const focus = vi.fn();
  const click = (source: AnswerSource, keys = {}) => {
    const event = { button: 0, ...keys, preventDefault: vi.fn(), currentTarget: { focus } };
    flushSync(() => opened?.open(event as unknown as MouseEvent<HTMLAnchorElement>, source));
    return event.preventDefault.mock.calls.length > 0;
  };
  show("con_1");
  expect([click(FIRST, { ctrlKey: true }), opened?.source]).toEqual([false, undefined]);
  expect([click(FIRST), opened?.source]).toEqual([true, FIRST]);
  click(SECOND);
  expect(opened?.source).toBe(SECOND);
  show("con_2");
  expect(opened?.source).toBeUndefined();
  click(FIRST);
  flushSync(() => opened?.close());
  expect(opened?.source).toBeUndefined();
  expect(focus).toHaveBeenCalledOnce();
  flushSync(() => root.unmount());
});
