import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import type { Answer } from "./mock-server";

/** Compared with what was seen: of an object the named members, of a list all its items. */
export type Expected = z.infer<ReturnType<typeof z.json>>;

/** A line that stands for a member that must not be there. */
const ABSENT = "$absent";
/** What is there and isn't empty. */
const ANY = "$any";

export type ReplayStep =
  | { kind: "ask"; text: string; model?: string; offers: boolean; searches: boolean; shows: boolean }
  | { kind: "approve"; input?: Record<string, unknown> }
  | { kind: "effort"; effort: string }
  | { kind: "crash" }
  | { kind: "continue" }
  | { kind: "request"; expected: Expected }
  | { kind: "reply"; status: number; contentType: string; body: Buffer }
  | { kind: "answer"; expected: Expected };

export interface Replay {
  title: string;
  providers: z.infer<typeof Provider>[];
  steps: ReplayStep[];
}

const Provider = z.object({
  type: z.string(),
  model: z.string(),
  context: z.number().optional(),
  lacks: z.array(z.string()).optional(),
  capabilities: z.array(z.string()).optional(),
  config: z.record(z.string(), z.string()).default({}),
});

/**
 * Reads a conversation with a provider, as raw bytes. Lines that begin with an @ are:
 *
 * - `@provider {type, model, context?, lacks?, capabilities?, config?}`, once or more
 * - `@ask [model] text`: a person's message with tools selected; `@offer` with tools whose calls ask, `@search` with
 *   the search of documents among them, `@image` with a picture attached
 * - `@effort low`: of the messages that follow
 * - `@crash {}`: only the events of the last answer are on disk, and the console starts
 * - `@continue {}`: the last answer, which was cut off, goes on
 * - `@approve {…}`: the waiting calls, with this input where it isn't empty
 * - `@request {…}`: what the next request's body must hold
 * - `@reply status content-type`, and its bytes until the next such line
 * - `@answer {…}`: what the stored answer to the last message must be
 */
export function readReplay(file: string): Replay {
  const [head = "", ...blocks] = readFileSync(file, "latin1").split(/^@/m);
  const replay: Replay = {
    title: Buffer.from(head, "latin1").toString().replace(/^# /, "").trim(),
    providers: [],
    steps: [],
  };
  for (const block of blocks) {
    const [, kind = "", rest = ""] = /^(\w+) ([\s\S]*)$/.exec(block) ?? [];
    const text = Buffer.from(rest, "latin1").toString().trim();
    if (kind === "provider") replay.providers.push(Provider.parse(JSON.parse(text)));
    else if (kind === "effort") replay.steps.push({ kind, effort: text });
    else if (kind === "crash" || kind === "continue") replay.steps.push({ kind });
    else if (kind === "ask" || kind === "offer" || kind === "search" || kind === "image") {
      const [, model, said] = /^\[(\S+)\] (.*)$/s.exec(text) ?? [];
      const message = {
        text: said ?? text,
        offers: kind === "offer",
        searches: kind === "search",
        shows: kind === "image",
        ...(model ? { model } : {}),
      };
      replay.steps.push({ kind: "ask", ...message });
    } else if (kind === "approve") {
      const input = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
      replay.steps.push({ kind, ...(Object.keys(input).length > 0 ? { input } : {}) });
    } else if (kind === "request" || kind === "answer")
      replay.steps.push({ kind, expected: JSON.parse(text) as Expected });
    else if (kind === "reply") {
      const [, status, contentType = "", body = ""] = /^(\d+) (\S+)\n([\s\S]*)$/.exec(rest) ?? [];
      replay.steps.push({ kind, status: Number(status), contentType, body: Buffer.from(body, "latin1") });
    } else throw new Error(`${file}: unknown line @${block.slice(0, 40)}`);
  }
  return replay;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @returns a line for each difference */
export function differences(seen: unknown, expected: Expected | undefined, path = "$"): string[] {
  if (expected === ABSENT) return seen === undefined ? [] : [`${path} is there: ${JSON.stringify(seen)}`];
  const [, limit] = /^\$below (\d+)$/.exec(String(expected)) ?? [];
  if (limit !== undefined)
    return typeof seen === "number" && seen < Number(limit) ? [] : [`${path} is ${seen}, not below ${limit}`];
  const [, pattern] = /^\$match (.*)$/.exec(String(expected)) ?? [];
  if (pattern !== undefined)
    return new RegExp(pattern).test(String(seen)) ? [] : [`${path} is ${JSON.stringify(seen)}`];
  if (expected === ANY) return seen === undefined || seen === "" ? [`${path} is missing`] : [];
  if (Array.isArray(expected)) {
    if (!Array.isArray(seen)) return [`${path} is no list: ${JSON.stringify(seen)}`];
    const lengths =
      seen.length === expected.length
        ? []
        : [`${path} has ${seen.length} items, not ${expected.length}: ${JSON.stringify(seen)}`];
    return [...lengths, ...expected.flatMap((item, at) => differences(seen[at], item, `${path}[${at}]`))];
  }
  if (isObject(expected)) {
    if (!isObject(seen)) return [`${path} is no object: ${JSON.stringify(seen)}`];
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(seen[name], value as Expected, `${path}.${name}`),
    );
  }
  return Object.is(seen, expected)
    ? []
    : [`${path} is ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`];
}

/**
 * Plays the replies in order.
 * @param chunk bytes of a packet
 * @returns the server's answers, and how the requests before them differ from what is expected
 */
export function playReplay({ steps }: Replay, chunk: number): { found: string[]; answer: Answer } {
  const found: string[] = [];
  const waiting = steps.filter((step) => step.kind === "request" || step.kind === "reply");
  const answer: Answer = async ({ text, url }, response) => {
    // Whether a model is loaded is no part of a conversation.
    if (url === "/api/ps") {
      response.writeHead(404).end();
      return;
    }
    let step = waiting.shift();
    for (; step?.kind === "request"; step = waiting.shift())
      found.push(...differences(JSON.parse(text), step.expected, "request"));
    if (step?.kind !== "reply") {
      response.writeHead(500).end("unexpected");
      return;
    }
    response.writeHead(step.status, { "content-type": step.contentType });
    for (let at = 0; at < step.body.length; at += chunk) {
      response.write(step.body.subarray(at, at + chunk));
      await nextTurn();
    }
    response.end();
  };
  return { found, answer };
}
