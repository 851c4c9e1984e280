import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type JSException, type JSValueHandle, QuickJS } from "quickjs-wasi";
import { z } from "zod";
import { excessOf } from "~/core/parse";
import { clip, parseWellFormed } from "~/core/well-formed";
import { type CodeResult, type CodeTask, LogLine } from "./code-task";

/** Of the interpreter's own heap, in bytes. */
const MEMORY = 64_000_000;
/** Low enough that a deep call ends in the interpreter before the process's own stack does. In bytes. */
const STACK = 256 * 1024;
/** Of the returned value's JSON, in characters. */
const MAX_RESULT = 1_000_000;
const MAX_VALUES = 100_000;
const MAX_LINES = 100;
const MAX_LINE = 2000;
const MAX_ERROR = 400;
const FILE = "code";

/** Runs before the code, which can therefore change none of what it holds. */
const SETUP = `(() => {
  const { parse, stringify } = JSON;
  const toText = String;
  const lines = [];
  const show = (value) => {
    if (typeof value === "string") return value;
    try { return stringify(value) ?? toText(value); } catch { return toText(value); }
  };
  const print = (level) => (...values) => {
    if (lines.length >= ${MAX_LINES}) return;
    let message = "";
    for (let at = 0; at < values.length; at++) message += (at === 0 ? "" : " ") + show(values[at]);
    lines[lines.length] = { level, message };
  };
  globalThis.console = {
    log: print("info"), info: print("info"), debug: print("debug"), warn: print("warn"), error: print("error"),
  };
  return { parse, stringify: (value) => stringify(value), readLog: () => stringify(lines) };
})()`;

let compiled: Promise<WebAssembly.Module> | undefined;

const compile = async () =>
  WebAssembly.compile(await readFile(createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm")));

/** It has no file, no network, no random bytes of the system and a clock that stands still. */
async function openInterpreter({ now }: CodeTask): Promise<QuickJS> {
  compiled ??= compile();
  const wasm = await compiled;
  // Its random numbers are seeded with the clock.
  const time = BigInt(now) * 1_000_000n + BigInt(randomInt(1_000_000));
  return QuickJS.create({
    wasm,
    memoryLimit: MEMORY,
    maxStackSize: STACK,
    timezoneOffset: 0,
    wasi: (memory) => ({
      clock_time_get(_clock: number, _precision: bigint, result: number) {
        new DataView(memory.buffer).setBigUint64(result, time, true);
        return 0;
      },
      fd_write: () => 8,
    }),
  });
}

class CodeFailure extends Error {}

/** The first frame in the code. */
const lineOf = (stack: string) => new RegExp(`\\b${FILE}:(\\d+):\\d+`).exec(stack)?.[1];

const MEANINGS: Readonly<Record<string, string>> = {
  "out of memory": `The code needs more than ${MEMORY / 1_000_000} MB of memory. Work on less data at a time.`,
  "Maximum call stack size exceeded": "The code calls itself too often, or its value nests too deep.",
};

function failure(name: string, message: string, stack: string): CodeFailure {
  const line = lineOf(stack);
  const text = MEANINGS[message] ?? (name && name !== "Error" ? `${name}: ${message}` : message);
  return new CodeFailure(clip(line === undefined ? text : `Line ${line}: ${text}`, MAX_ERROR));
}

/** An error of the interpreter; the process's own stack may end first. */
function explain(error: unknown): CodeFailure {
  if (error instanceof CodeFailure) return error;
  const { name, message, stack = "" } = error as JSException;
  return failure(name, message, error instanceof RangeError ? "" : stack);
}

const textOf = (value: JSValueHandle, name: string) => {
  const text = value.getProp(name);
  return text.typeof === "string" ? text.toString() : "";
};

/** What the code's promise was rejected with: anything can be thrown. */
function explainThrown(reason: JSValueHandle): CodeFailure {
  if (reason.typeof !== "object") return failure("", `The code threw ${clip(reason.toString(), 200)}`, "");
  return failure(
    textOf(reason, "name"),
    textOf(reason, "message") || "The code failed",
    textOf(reason, "stack"),
  );
}

/** Runs the code as the body of an async function of `input`. @returns its value as JSON text */
async function evaluate(vm: QuickJS, { code, input }: CodeTask, own: JSValueHandle): Promise<string> {
  const call = (name: string, argument: JSValueHandle) => {
    const method = own.getProp(name);
    return vm.callFunction(method, vm.undefined, argument);
  };
  // On one line, so that lines are counted as the author does; the last may be a comment.
  const body = vm.evalCode(`(async function (input) { "use strict"; ${code}\n})`, FILE);
  if (body.typeof !== "function") throw new CodeFailure("Close each bracket that the code opens.");
  const text = vm.newString(input);
  const argument = call("parse", text);
  const promise = vm.callFunction(body, vm.undefined, argument);
  vm.executePendingJobs();
  if (promise.promiseState === 0)
    throw new CodeFailure(
      "The code waits for a promise that nothing settles: it has no timers and no network.",
    );
  const settled = await vm.resolvePromise(promise);
  if ("error" in settled) throw explainThrown(settled.error);
  const json = call("stringify", settled.value);
  if (json.typeof !== "string") return "null";
  const length = json.getProp("length");
  if (length.toNumber() > MAX_RESULT)
    throw new CodeFailure(
      `The returned value has more than ${MAX_RESULT / 1_000_000} million characters of JSON. Return less.`,
    );
  const result = json.toString();
  const excess = excessOf(result, MAX_VALUES);
  if (excess) throw new CodeFailure(`The returned value ${excess}.`);
  return result;
}

/** After running out of memory, or if the code has changed what a list is, there may be none to read. */
function readLog(vm: QuickJS, own: JSValueHandle): CodeResult["log"] {
  try {
    const method = own.getProp("readLog");
    const json = vm.callFunction(method, vm.undefined);
    const lines = z.array(LogLine).parse(parseWellFormed(json.toString()));
    return lines.map(({ level, message }) => ({ level, message: clip(message, MAX_LINE) }));
  } catch {
    return [];
  }
}

/** Runs code in an interpreter of its own; the pool's process ends code that doesn't. */
export async function runCodeTask(task: CodeTask): Promise<CodeResult> {
  const vm = await openInterpreter(task);
  const own = vm.evalCode(SETUP, "setup");
  try {
    const json = await evaluate(vm, task, own);
    return { json, error: null, log: readLog(vm, own) };
  } catch (error) {
    return { json: null, error: explain(error).message, log: readLog(vm, own) };
  }
}
