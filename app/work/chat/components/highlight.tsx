import { Fragment, type ReactNode } from "react";
import type { Coloured, HighlightMessage } from "./highlight.worker";

/** In characters; longer code or lines stay plain. */
const MAX_LENGTH = 30_000;
const MAX_LINE_LENGTH = 2000;
/** Time limit of the worker, in ms: grammars can backtrack endlessly. */
const TIMEOUT = 1500;
const MAX_SPANS = 6000;
/** Maximum queue length. */
const MAX_QUEUED = 60;

interface Task {
  code: string;
  language: string;
  done: (coloured: Coloured[] | undefined) => void;
}

let worker: Worker | undefined;
let current: Task | undefined;
const waiting: Task[] = [];
/** Languages that timed out on this page. */
const slow = new Set<string>();

function settle(coloured: Coloured[] | undefined, timer?: ReturnType<typeof setTimeout>): void {
  clearTimeout(timer);
  const task = current;
  current = undefined;
  task?.done(coloured);
  next();
}

function start(): Worker {
  worker ??= new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
  return worker;
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
  const thread = start();
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

function countOf(coloured: readonly Coloured[]): number {
  return coloured.reduce((sum, one) => sum + (typeof one === "string" ? 1 : 1 + countOf(one.c)), 0);
}

function toReact(coloured: readonly Coloured[]): ReactNode {
  return coloured.map((one, index) =>
    typeof one === "string" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a span is identified by its position.
      <Fragment key={index}>{one}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <span key={index} className={one.name}>
        {toReact(one.c)}
      </span>
    ),
  );
}

const isShort = (code: string) =>
  code.length <= MAX_LENGTH && !new RegExp(`[^\\n]{${MAX_LINE_LENGTH + 1}}`).test(code);

/**
 * Highlights code with `hljs-…` classes in a worker, so that the page stays responsive.
 * @param show receives the result; not called for an unknown language or too much code
 * @returns a function to cancel
 */
export function highlight(code: string, language: string, show: (content: ReactNode) => void): () => void {
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
