import { randomInt } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { parseWellFormed } from "~/core/well-formed";
import { CUT } from "../language-model";
import { EmptyResponse, MalformedResponse } from "../provider-errors.server";
import { ThinkTags } from "./think-tags";

// Servers with OpenAI's chat completions API write it in many ways. This reads them all, and writes the one that the
// adapter reads.

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asObject = (value: unknown): Json => (isObject(value) ? value : {});
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : isObject(value) ? [value] : []);
const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Without members that are null: the adapter allows them to be absent only. */
const present = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null ? [] : [[name, isObject(member) ? present(member) : member]],
    ),
  );

/** Reasons in other words, by OpenAI's. */
const REASONS: Record<string, string> = {
  end_turn: "stop",
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool_calls",
  safety: "content_filter",
};

/** Characters of an event, and of the reason that a server gives for an error. */
const MAX_EVENT = 16 * 1024 * 1024;
const MAX_REASON = 2000;
const MAX_SOURCES = 100;

function errorOf(value: unknown): Json {
  const given = isObject(value) ? value : { message: value };
  const { message, detail, error, type, code, param } = given;
  const texts = [message, detail, asObject(error).message, error].filter((text) => typeof text === "string");
  const text = String(texts[0] ?? "").slice(0, MAX_REASON);
  const rest = { type: asText(type) || undefined, param: asText(param) || undefined };
  return { error: { message: text, ...rest, ...(["string", "number"].includes(typeof code) && { code }) } };
}

interface Call {
  index: number;
  /** As the server counts, which may give two calls one number or one name. */
  givenIndex: unknown;
  givenId: string;
  name: string;
  arguments: string;
}

/** Nine letters and digits, which every server takes again. */
function newCallId(): string {
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return Array.from({ length: 9 }, () => letters[randomInt(letters.length)]).join("");
}

function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith("}")) return false;
  try {
    return isObject(parseWellFormed(json));
  } catch {
    // More of it follows.
    return false;
  }
}

/** Reads one response, event by event. */
class ChatCompletion {
  readonly #tags = new ThinkTags();
  readonly #calls: Call[] = [];
  #sources: string[] = [];
  #head: Json = {};
  #finish = "";
  #isMarkedDone = false;
  #hasImages = false;
  #thinksInParts = false;
  #hasSaid = false;
  #hasFailed = false;

  /** @returns chunks as OpenAI writes them */
  take(data: string, event: string | undefined): Json[] {
    return this.#parse(data).flatMap((value) => this.#value(value, event));
  }

  /** @throws EmptyResponse */
  end(): Json[] {
    if (this.#hasFailed) return [];
    const last = this.#tags.end().map(({ kind, text }) => this.#said(kind, text));
    if (!this.#finish && !this.#hasSaid && this.#calls.length === 0) throw new EmptyResponse();
    const calls = this.#calls.length > 0 && this.#calls.every((call) => isWhole(call.arguments || "{}"));
    const given = calls ? "tool_calls" : this.#isMarkedDone ? "stop" : CUT;
    const beside = {
      ...(this.#sources.length > 0 ? { sources: this.#sources } : {}),
      ...(this.#hasImages ? { hasImages: true } : {}),
      ...(this.#thinksInParts ? { thinksInParts: true } : {}),
    };
    return [...last, { ...this.#chunk({}, this.#finish || given), ...beside }];
  }

  #parse(data: string): unknown[] {
    const isEnd = (text: string) => text.trim() === "[DONE]";
    const read = (text: string): unknown[] => {
      this.#isMarkedDone ||= isEnd(text);
      // Half a surrogate pair stays one: the next event has the other half.
      return isEnd(text) || text.trim() === "" ? [] : [JSON.parse(text)];
    };
    try {
      return read(data);
    } catch {
      try {
        // Events that no empty line divides.
        return data.split("\n").flatMap(read);
      } catch (error) {
        throw new MalformedResponse(error);
      }
    }
  }

  #value(value: unknown, event: string | undefined): Json[] {
    if (!isObject(value)) return [];
    if (value.error || event === "error") {
      this.#hasFailed = true;
      return [errorOf(value.error || value)];
    }
    const { id, created, model } = value;
    this.#head = { ...this.#head, ...present({ id, created, model } as Json) };
    // Each event may repeat all of them.
    if (Array.isArray(value.citations))
      this.#sources = value.citations
        .slice(0, MAX_SOURCES)
        .map((source) => asText(source) || asText(asObject(source).url));
    const choice = asObject(asList(value.choices)[0]);
    const reason = asText(choice.finish_reason);
    if (reason) this.#finish = REASONS[reason.toLowerCase()] ?? reason.toLowerCase();
    const delta = isObject(choice.delta) ? choice.delta : asObject(choice.message);
    const chunks = this.#delta({ content: choice.text, ...delta });
    if (isObject(value.usage)) chunks.push({ ...this.#chunk({}), choices: [], usage: present(value.usage) });
    return chunks;
  }

  #delta(delta: Json): Json[] {
    const { content, refusal, images, function_call } = delta;
    if (asList(images).length > 0) {
      this.#hasImages = true;
      this.#hasSaid = true;
    }
    this.#thinksInParts ||= asList(content).some((part) => asObject(part).type === "thinking");
    const thoughts = this.#thoughts(delta);
    const said =
      typeof content === "string"
        ? this.#tags.take(content).map(({ kind, text }) => this.#said(kind, text))
        : asList(content).map((part) => this.#said("text", [part]));
    const refused = asText(refusal) === "" ? [] : [this.#said("text", asText(refusal))];
    const legacy = isObject(function_call) ? [{ index: 0, function: function_call }] : [];
    const calls = [...asList(delta.tool_calls), ...legacy].map((call) => this.#call(asObject(call)));
    const toolCalls = calls.length > 0 ? [this.#chunk({ tool_calls: calls })] : [];
    return [...thoughts, ...said, ...refused, ...toolCalls];
  }

  #thoughts({ reasoning_content, reasoning, reasoning_details }: Json): Json[] {
    const details = asList(reasoning_details);
    const told = asText(reasoning_content) || asText(reasoning);
    const detailed = details
      .map((one) => asText(asObject(one).text) || asText(asObject(one).summary))
      .join("");
    if (told === "" && details.length === 0) return [];
    this.#hasSaid ||= told + detailed !== "";
    return [
      this.#chunk({
        ...(asText(reasoning_content)
          ? { reasoning_content }
          : told || detailed
            ? { reasoning: told || detailed }
            : {}),
        ...(details.length > 0 ? { reasoning_details: details } : {}),
      }),
    ];
  }

  #said(kind: "text" | "thought", content: unknown): Json {
    this.#hasSaid = true;
    if (kind === "text") return this.#chunk({ content });
    return this.#chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: content }] }] });
  }

  #call(given: Json): Json {
    const { name: givenName, arguments: input } = isObject(given.function) ? given.function : given;
    const written = isObject(input) ? JSON.stringify(input) : asText(input);
    const id = asText(given.id);
    const name = asText(givenName);
    const known = this.#find(given.index, id, name);
    const call = known ?? this.#add(given.index, id);
    // Some servers begin with nothing and send all of it then.
    const text = call.arguments === "" && ["{}", "null"].includes(written) ? "" : written;
    call.arguments += text;
    const isNamed = call.name === "" && name !== "";
    if (isNamed) call.name = name;
    const extra = isObject(given.extra_content) ? { extra_content: given.extra_content } : {};
    return {
      index: call.index,
      ...(known ? {} : { id: call.givenId || newCallId(), type: "function" }),
      function: { ...(isNamed ? { name } : {}), arguments: text },
      ...extra,
    };
  }

  #find(index: unknown, id: string, name: string): Call | undefined {
    const counts = typeof index === "number";
    const sameId = id === "" ? undefined : this.#calls.find(({ givenId }) => givenId === id);
    if (sameId) return counts && sameId.givenIndex !== index && name !== "" ? undefined : sameId;
    const last = counts ? this.#calls.findLast(({ givenIndex }) => givenIndex === index) : this.#calls.at(-1);
    if (!last || name === "" || last.name === "") return last;
    // A name again: of the next call, or of this one, as some servers repeat it.
    const isNext = id !== "" ? last.givenId !== "" : !counts || isWhole(last.arguments);
    return isNext ? undefined : last;
  }

  #add(givenIndex: unknown, id: string): Call {
    const isTaken = this.#calls.some(({ givenId }) => givenId === id);
    const call = {
      index: this.#calls.length,
      givenIndex,
      givenId: isTaken ? "" : id,
      name: "",
      arguments: "",
    };
    this.#calls.push(call);
    return call;
  }

  #chunk(delta: Json, finish?: string): Json {
    const choice = { index: 0, delta, ...(finish ? { finish_reason: finish } : {}) };
    return { object: "chat.completion.chunk", ...this.#head, choices: [choice] };
  }
}

/** Reads the events of a body as they come. */
class Events {
  /** Of an event, after those before it were read. */
  failure: unknown;
  readonly #decoder = new TextDecoder();
  readonly #completion = new ChatCompletion();
  #chunks: Json[] = [];
  #hasEvents = false;
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ data, event }) => this.#event(data, event),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") this.failure = new MalformedResponse(error);
    },
  });

  take(bytes: Uint8Array): Json[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    return this.#chunks.splice(0);
  }

  /** @param isStream whether the response says that it is one */
  end(isStream: boolean): Json[] {
    // A last event whose empty line is missing counts.
    this.#parser.feed("\n\n");
    try {
      if (!this.#hasEvents && !isStream) throw new MalformedResponse();
      if (!this.failure) this.#chunks.push(...this.#completion.end());
    } catch (error) {
      this.failure = error;
    }
    return this.#chunks.splice(0);
  }

  #event(data: string, event: string | undefined): void {
    if (this.failure) return;
    this.#hasEvents = true;
    try {
      this.#chunks.push(...this.#completion.take(data, event));
    } catch (error) {
      this.failure = error;
    }
  }
}

function toEvents(body: ReadableStream<Uint8Array>, isStream: boolean): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const events = new Events();
  const frames = (chunks: readonly Json[]) =>
    Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          if (events.failure) {
            await reader.cancel();
            // An error overtakes the events before it, which the adapter reads in this turn.
            await nextTurn();
            throw events.failure;
          }
          if (isOver) return controller.close();
          const { done, value } = await reader.read();
          isOver = done;
          const bytes = frames(done ? events.end(isStream) : events.take(value));
          if (bytes.length > 0) return controller.enqueue(bytes);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function wholeChunks(json: string): Json[] {
  const completion = new ChatCompletion();
  const chunks = completion.take(json, undefined);
  return [...chunks, ...completion.end()];
}

/** One answer of many chunks. */
function toCompletion(chunks: readonly Json[]): Json {
  const failed = chunks.find((chunk) => chunk.error);
  if (failed) return failed;
  const message: Json = { role: "assistant", content: [] };
  const calls: { function: { name?: string; arguments: string } }[] = [];
  let head: Json = {};
  for (const { choices, ...rest } of chunks) {
    head = { ...head, ...rest };
    const { delta = {}, finish_reason } = asObject(asList(choices)[0]);
    if (finish_reason) head = { ...head, finish_reason };
    for (const [name, value] of Object.entries(asObject(delta))) {
      if (name === "tool_calls")
        for (const call of value as { index: number; function: { name?: string; arguments: string } }[]) {
          const known = calls[call.index];
          if (!known) calls[call.index] = call;
          else {
            known.function.name ??= call.function.name ?? "";
            known.function.arguments += call.function.arguments;
          }
        }
      else if (name === "content") message.content = [...asList(message.content), ...asParts(value)];
      else if (Array.isArray(value)) message[name] = [...asList(message[name]), ...value];
      else message[name] = asText(message[name]) + asText(value);
    }
  }
  const { finish_reason, ...response } = head;
  if (calls.length > 0) message.tool_calls = calls;
  return { ...response, object: "chat.completion", choices: [{ index: 0, message, finish_reason }] };
}

const asParts = (content: unknown): unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : asList(content);

/**
 * Makes a server's answers to chat completions those that the adapter reads.
 * @param streams what was asked for; servers may give the other
 * @throws EmptyResponse, MalformedResponse, also within the body
 */
export function readingChatCompletions(inner: typeof fetch, streams: boolean): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { body, headers, status } = response;
    if (!response.ok) return response;
    if (!body) throw new EmptyResponse();
    const isJson = /^application\/([\w.-]+\+)?json\b/i.test(headers.get("content-type") ?? "");
    const type = streams ? "text/event-stream" : "application/json";
    const all = new Headers({ ...Object.fromEntries(headers), "content-type": type });
    const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
    if (streams) {
      const events = isJson ? eventsOf(await response.text()) : body;
      return new Response(toEvents(events, isJson || isStream), { status, headers: all });
    }
    const text = await response.text();
    const chunks = isJson ? wholeChunks(text) : chunksOf(text, isStream);
    return new Response(JSON.stringify(toCompletion(chunks)), { status, headers: all });
  };
}

const eventsOf = (json: string): ReadableStream<Uint8Array> =>
  new Response(`data: ${json.replaceAll(/[\r\n]+/g, " ")}\n\ndata: [DONE]\n\n`)
    .body as ReadableStream<Uint8Array>;

function chunksOf(text: string, isStream: boolean): Json[] {
  const events = new Events();
  const chunks = [...events.take(Buffer.from(text)), ...events.end(isStream)];
  if (events.failure) throw events.failure;
  return chunks;
}
