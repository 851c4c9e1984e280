import { parseHTML } from "linkedom";
import { type ReactNode, startTransition, useReducer } from "react";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";
import { MemoryRouter } from "react-router-dom";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const FUTURE = { v7_startTransition: true, v7_relativeSplatPath: true };

beforeEach(() => {
  const { document, window } = parseHTML("<html><body><main></main></body></html>");
  const scrollingElement = { scrollTop: 0, scrollHeight: 900, clientHeight: 900 };
  Object.defineProperty(document, "scrollingElement", { value: scrollingElement });
  Object.defineProperty(window, "location", { value: new URL("http://localhost/chat"), configurable: true });
  vi.stubGlobal("document", document);
  vi.stubGlobal("window", window);
});
afterEach(() => vi.unstubAllGlobals());

function mount(part: ReactNode): Root {
  const root = createRoot(document.querySelector("main") as HTMLElement);
  flushSync(() => root.render(<MemoryRouter future={FUTURE}>{part}</MemoryRouter>));
  return root;
}

it("renders an update once while React holds back an earlier one and each render makes new messages", async () => {
  // It chooses its kind of effect when it is loaded.
  const { useFollowEnd } = await import("./follow-end");
  let renders = 0;
  let change: (text: string) => void = () => {};
  function Chat() {
    const [messages, add] = useReducer((before: string[], text: string) => [...before, text], ["asked"]);
    renders += 1;
    change = add;
    useFollowEnd({ content: messages, opened: "con_1", sent: 0, empty: false });
    return messages.join(" ");
  }
  const root = mount(<Chat />);
  expect(document.body.textContent).toBe("asked");
  renders = 0;
  startTransition(() => change("loaded"));
  flushSync(() => change("sent"));
  await vi.waitFor(() => expect(document.body.textContent).toBe("asked loaded sent"));
  expect(renders).toBe(2);
  flushSync(() => root.unmount());
});

it("leaves a reader alone who scrolled up a moment before more arrives", async () => {
  const { useFollowEnd } = await import("./follow-end");
  const page = document.scrollingElement as Element;
  let change: (text: string) => void = () => {};
  function Chat() {
    const [content, add] = useReducer((_: string, text: string) => text, "asked");
    change = add;
    const { unseen } = useFollowEnd({ content, opened: "con_1", sent: 0, empty: false });
    return unseen ? "unseen" : "seen";
  }
  const root = mount(<Chat />);
  Object.assign(page, { scrollHeight: 3000 });
  flushSync(() => change("answered"));
  expect(page.scrollTop).toBe(3000);
  // Its event comes with the next frame.
  page.scrollTop = 0;
  flushSync(() => change("answered more"));
  expect(page.scrollTop).toBe(0);
  await vi.waitFor(() => expect(document.body.textContent).toBe("unseen"));
  flushSync(() => root.unmount());
});
