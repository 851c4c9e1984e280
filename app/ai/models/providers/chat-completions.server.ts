import { setImmediate as nextTurn } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { EmptyResponse, MalformedResponse } from "../provider-errors.server";
import { asList, asObject, asText, ChatCompletion, type Json } from "./chat-completion";
import type { OpenedTags } from "./think-tags";

/** Characters of an event. */
const MAX_EVENT = 16 * 1024 * 1024;

/** Reads the events of a body as they come. */
class Events {
  /** Of an event, after those before it were read. */
  failure: unknown;
  readonly #decoder = new TextDecoder();
  readonly #completion: ChatCompletion;
  #chunks: Json[] = [];
  #hasEvents = false;
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ data, event }) => this.#event(data, event),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") this.failure = new MalformedResponse(error);
    },
  });

  constructor(opened: OpenedTags) {
    this.#completion = new ChatCompletion(opened);
  }

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

function toEvents(
  body: ReadableStream<Uint8Array>,
  isStream: boolean,
  opened: OpenedTags,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const events = new Events(opened);
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

function wholeChunks(json: string, opened: OpenedTags): Json[] {
  const completion = new ChatCompletion(opened);
  // It says by its length where it ends.
  const chunks = [json, "[DONE]"].flatMap((data) => completion.take(data, undefined));
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
      else if (name === "content" || Array.isArray(value)) {
        const list = asList(message[name]);
        for (const one of asParts(value)) list.push(one);
        message[name] = list;
      } else message[name] = asText(message[name]) + asText(value);
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
  /** Of this model at this server, until its configuration changes. */
  const opened: OpenedTags = {};
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
      return new Response(toEvents(events, isJson || isStream, opened), { status, headers: all });
    }
    const text = await response.text();
    const read = () => (isJson ? wholeChunks(text, opened) : chunksOf(text, isStream, opened));
    const wasKnown = opened.name !== undefined;
    const chunks = read();
    const isLearned = !wasKnown && opened.name !== undefined;
    return new Response(JSON.stringify(toCompletion(isLearned ? read() : chunks)), { status, headers: all });
  };
}

const eventsOf = (json: string): ReadableStream<Uint8Array> =>
  new Response(`data: ${json.replaceAll(/[\r\n]+/g, " ")}\n\ndata: [DONE]\n\n`)
    .body as ReadableStream<Uint8Array>;

function chunksOf(text: string, isStream: boolean, opened: OpenedTags): Json[] {
  const events = new Events(opened);
  const chunks = [...events.take(Buffer.from(text)), ...events.end(isStream)];
  if (events.failure) throw events.failure;
  return chunks;
}
