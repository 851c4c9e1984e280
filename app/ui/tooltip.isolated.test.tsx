import { parseHTML } from "linkedom";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

let root: Root;
beforeEach(async () => {
  vi.useFakeTimers();
  const { document, window } = parseHTML("<html><body><main></main></body></html>");
  Object.assign(window, { innerHeight: 800, innerWidth: 1200, setTimeout, clearTimeout });
  vi.stubGlobal("document", document);
  vi.stubGlobal("window", window);
  // React chooses its kind of effect when it is loaded.
  const { Tooltip } = await import("./tooltip");
  root = createRoot(document.querySelector("main") as unknown as HTMLElement);
  flushSync(() =>
    root.render(
      ["Edit", "Delete"].map((text) => (
        <Tooltip key={text} text={text}>
          <button type="button">{text.charAt(0)}</button>
        </Tooltip>
      )),
    ),
  );
  for (const holder of document.querySelectorAll("main > span"))
    Object.assign(holder, { getBoundingClientRect: () => ({ left: 10, width: 20, top: 10, bottom: 30 }) });
  vi.advanceTimersByTime(1000);
});
afterEach(() => {
  flushSync(() => root.unmount());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const shown = () => [...document.querySelectorAll('[role="tooltip"]')].map(({ textContent }) => textContent);
function send(at: number, type: string, more: object = {}) {
  const holder = document.querySelectorAll("main > span")[at];
  flushSync(() => holder?.dispatchEvent(Object.assign(new window.Event(type), more)));
}
const enter = (at: number, pointerType = "mouse") => send(at, "pointerenter", { pointerType });
const wait = (ms: number) => flushSync(() => vi.advanceTimersByTime(ms));

it("waits before the first tooltip, and shows the next control's at once", () => {
  enter(0);
  wait(699);
  expect(shown()).toEqual([]);
  wait(1);
  expect(shown()).toEqual(["Edit"]);
  send(0, "pointerleave");
  enter(1);
  wait(0);
  expect(shown()).toEqual(["Delete"]);
  send(1, "pointerleave");
  wait(300);
  enter(0);
  wait(0);
  expect(shown(), "a moment later it waits again").toEqual([]);
});

it("hides when the window's size changes or Escape is pressed, and never shows by touch", () => {
  for (const event of [
    new window.Event("resize"),
    Object.assign(new window.Event("keydown"), { key: "Escape" }),
  ]) {
    enter(0);
    wait(700);
    expect(shown()).toEqual(["Edit"]);
    flushSync(() => window.dispatchEvent(event));
    expect(shown(), event.type).toEqual([]);
    wait(1000);
  }
  enter(0, "touch");
  wait(1000);
  expect(shown()).toEqual([]);
});
