import { withBase } from "~/core/base-path";
import type { DrawReply, DrawRequest, Palette } from "./draw-request";
import scriptAddress from "./mermaid.frame?worker&url";

/** In characters. */
const MAX_SOURCE = 20_000;
const MAX_SVG = 400_000;
/** Time limit of the frame's code to load and of one diagram, in ms: the frame is removed after that. */
const LOAD_TIMEOUT = 30_000;
const DRAW_TIMEOUT = 8000;

let opened: Promise<HTMLIFrameElement> | undefined;
let last: Promise<unknown> = Promise.resolve();
let count = 0;

/** Resolves with the frame's next message that `read` takes; removes the frame and rejects if none comes. */
function messageOf<T>(
  frame: HTMLIFrameElement,
  read: (data: unknown) => T | undefined,
  timeout: number,
  reason: string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("message", onMessage);
    };
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      if (source !== frame.contentWindow) return;
      const value = read(data);
      if (value === undefined) return;
      end();
      resolve(value);
    };
    const timer = setTimeout(() => {
      end();
      frame.remove();
      opened = undefined;
      reject(new Error(reason));
    }, timeout);
    addEventListener("message", onMessage);
  });
}

function openFrame(): Promise<HTMLIFrameElement> {
  const frame = document.createElement("iframe");
  const script = new URL(scriptAddress, location.href).pathname.split("/").at(-1) ?? "";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.src = withBase(`/sandbox/diagram?script=${encodeURIComponent(script)}`);
  frame.title = "Drawing of diagrams";
  frame.tabIndex = -1;
  frame.setAttribute("aria-hidden", "true");
  // Without a layout Mermaid can't measure its labels; some diagrams take all of the width.
  frame.style.cssText =
    "position:fixed;left:-3000px;top:0;width:760px;height:800px;border:0;pointer-events:none";
  const ready = messageOf(
    frame,
    (data) => (data === "ready" ? frame : undefined),
    LOAD_TIMEOUT,
    "Couldn't load what draws diagrams.",
  );
  document.body.append(frame);
  return ready;
}

/** A reply of the frame, in which hostile text ran: nothing of its shape is taken for granted. */
function readReply(data: unknown, id: number): DrawReply | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const reply = data as Record<string, unknown>;
  if (reply.id !== id) return undefined;
  const { svg, type, error } = reply;
  if (typeof svg === "string" && typeof type === "string") {
    if (svg.length > MAX_SVG) return { id, error: "The diagram is too large." };
    return { id, svg, type: type.slice(0, 40) };
  }
  return { id, error: typeof error === "string" ? error.slice(0, 200) : "The diagram can't be drawn." };
}

async function drawNow(source: string, palette: Palette) {
  opened ??= openFrame();
  const frame = await opened;
  count += 1;
  const id = count;
  const reply = messageOf(
    frame,
    (data) => readReply(data, id),
    DRAW_TIMEOUT,
    "The diagram took too long to draw.",
  );
  frame.contentWindow?.postMessage({ id, source, palette } satisfies DrawRequest, "*");
  const drawn = await reply;
  if ("error" in drawn) throw new Error(drawn.error);
  return drawn;
}

/**
 * Draws a Mermaid text in a sandboxed frame, one after the other.
 * @returns an SVG that is still to be sanitized
 * @throws Error with the reason
 */
export function drawMermaid(source: string, palette: Palette): Promise<{ svg: string; type: string }> {
  if (source.length > MAX_SOURCE) return Promise.reject(new Error("The diagram's text is too long."));
  const drawn = last.then(() => drawNow(source, palette));
  last = drawn.catch(() => undefined);
  return drawn;
}
