import { Fragment, type ReactNode } from "react";
import type { Coloured, Reply } from "./highlight.worker";

/** In characters; longer code or lines stay plain. */
const LENGTH = 30_000;
const LINE = 2000;
/** Grammars may backtrack without end: time limit of the thread, in ms. */
const TIME = 1500;
const STRETCHES = 6000;
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
  thread.onmessage = ({ data }: MessageEvent<Reply>) => {
    // The time limit excludes loading the grammar.
    if (data === "begun") timer = setTimeout(giveUp, TIME);
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
      // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is its place in the code.
      <Fragment key={index}>{one}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <span key={index} className={one.name}>
        {toReact(one.c)}
      </span>
    ),
  );
}

const isShort = (code: string) => code.length <= LENGTH && !new RegExp(`[^\\n]{${LINE + 1}}`).test(code);

/**
 * Code with its words marked by `hljs-…` classes, read in a thread of the browser's so that the page is never held.
 *
 * @param show gets the marked code; it isn't called where the language isn't known or the code is too much
 * @returns the way to forget about it
 */
export function highlight(code: string, language: string, show: (content: ReactNode) => void): () => void {
  if (!isShort(code) || waiting.length >= MAX_QUEUED) return () => undefined;
  let isMounted = true;
  const task: Task = {
    code,
    language,
    done: (coloured) => {
      if (isMounted && coloured && countOf(coloured) <= STRETCHES) show(toReact(coloured));
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
