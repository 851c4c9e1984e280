import { type ReactNode, useEffect, useState } from "react";
import { ScrollRegion } from "~/ui/scroll-region";
import type { Highlighted, HighlightMessage } from "./highlight.worker";

/** Delay before unchanged code is highlighted, in ms. */
const HIGHLIGHT_DELAY = 120;
/** In characters; longer code or lines stay plain. */
const MAX_LENGTH = 30_000;
const MAX_LINE_LENGTH = 2000;
/** Time limit of the worker, in ms: grammars can backtrack endlessly. */
const TIMEOUT = 1500;
const MAX_SPANS = 6000;
const MAX_QUEUED = 60;

interface Task {
  code: string;
  language: string;
  done: (coloured: Highlighted[] | undefined) => void;
}

let worker: Worker | undefined;
let current: Task | undefined;
const waiting: Task[] = [];
const slow = new Set<string>();

function settle(coloured: Highlighted[] | undefined, timer?: ReturnType<typeof setTimeout>): void {
  clearTimeout(timer);
  const task = current;
  current = undefined;
  task?.done(coloured);
  next();
}

function next(): void {
  if (current) return;
  current = waiting.shift();
  if (!current) return;
  const { code, language } = current;
  if (slow.has(language)) {
    settle(undefined);
    return;
  }
  worker ??= new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
  const thread = worker;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUp = () => {
    thread.terminate();
    slow.add(language);
    worker = undefined;
    settle(undefined, timer);
  };
  thread.onmessage = ({ data }: MessageEvent<HighlightMessage>) => {
    // The time limit excludes loading the grammar.
    if (data === "started") timer = setTimeout(giveUp, TIMEOUT);
    else settle(data, timer);
  };
  thread.onerror = giveUp;
  thread.postMessage({ code, language });
}

const countOf = (nodes: readonly Highlighted[]): number =>
  nodes.reduce((sum, node) => sum + 1 + ("children" in node ? countOf(node.children) : 0), 0);

function toReact(nodes: readonly Highlighted[]): ReactNode {
  return nodes.map((node, index) => {
    if (node.type !== "element") return node.type === "text" ? node.value : null;
    const { className } = node.properties;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a span is identified by its position.
      <span key={index} className={Array.isArray(className) ? className.join(" ") : ""}>
        {toReact(node.children)}
      </span>
    );
  });
}

const isShort = (code: string) =>
  code.length <= MAX_LENGTH && !new RegExp(`[^\\n]{${MAX_LINE_LENGTH + 1}}`).test(code);

/**
 * Highlights code with `hljs-…` classes in a worker, so that the page stays responsive.
 * @param show receives the result; not called for an unknown language or too much code
 * @returns a function to cancel
 */
function highlight(code: string, language: string, show: (content: ReactNode) => void): () => void {
  if (!isShort(code) || waiting.length >= MAX_QUEUED) return () => undefined;
  let isMounted = true;
  const task: Task = {
    code,
    language,
    done: (coloured) => {
      if (isMounted && coloured && countOf(coloured) <= MAX_SPANS) show(toReact(coloured));
    },
  };
  waiting.push(task);
  next();
  return () => {
    isMounted = false;
    const at = waiting.indexOf(task);
    if (at >= 0) waiting.splice(at, 1);
  };
}

/** A block's code, highlighted once it pauses. */
export function CodeText({ code, name }: { code: string; name: string }) {
  const [highlighted, setHighlighted] = useState<{ code: string; content: ReactNode }>();
  useEffect(() => {
    if (!name) return;
    let cancel = () => {};
    const timer = setTimeout(() => {
      cancel = highlight(code, name, (content) => setHighlighted({ code, content }));
    }, HIGHLIGHT_DELAY);
    return () => {
      clearTimeout(timer);
      cancel();
    };
  }, [code, name]);
  return (
    <ScrollRegion label={`Code${name ? ` in ${name}` : ""}`} className="scroll-x p-3">
      <pre dir="ltr">
        <code>{highlighted?.code === code ? highlighted.content : code}</code>
      </pre>
    </ScrollRegion>
  );
}
