import { randomInt } from "node:crypto";
import { parseWellFormed } from "~/core/well-formed";
import { CUT } from "../language-model";
import { EmptyResponse, MalformedResponse } from "../provider-errors.server";
import { type OpenedTags, ThinkTags } from "./think-tags";

// Servers with OpenAI's chat completions API write it in many ways. This reads them all, and writes the one that the
// adapter reads.

export type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asObject = (value: unknown): Json => (isObject(value) ? value : {});
export const asList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : isObject(value) ? [value] : [];
export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Without members that are null: the adapter allows them to be absent only. */
const present = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null ? [] : [[name, isObject(member) ? present(member) : member]],
    ),
  );

/** Reasons in other words, by OpenAI's, and those of an answer that isn't whole. */
const REASONS: Record<string, string> = {
  end_turn: "stop",
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_length: "length",
  tool_use: "tool_calls",
  safety: "content_filter",
  error: CUT,
  abort: CUT,
  insufficient_system_resource: CUT,
};

/** Characters of the reason that a server gives for an error. */
const MAX_REASON = 2000;
const MAX_SOURCES = 100;
/** One more than are kept, so that what is left out is noticed. */
const MAX_IMAGES = 9;

/** An image as base64; empty where it has an address, which isn't read. */
function imageData({ image_url, b64_json }: Json): string {
  const url = asText(asObject(image_url).url) || asText(image_url);
  const head = /^data:image\/[\w.+-]{1,40};base64,/i.exec(url.slice(0, 80))?.[0];
  return head === undefined ? asText(b64_json) : url.slice(head.length);
}

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
  /** Whether it was given none, as `{}`. */
  isEmpty: boolean;
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
export class ChatCompletion {
  readonly #tags: ThinkTags;
  readonly #calls: Call[] = [];
  readonly #callsById = new Map<string, Call>();
  /** The last call with each number. */
  readonly #callsByIndex = new Map<unknown, Call>();
  #sources: string[] = [];
  #head: Json = {};
  #finish = "";
  #isMarkedDone = false;
  /** As base64, each once. */
  readonly #images = new Set<string>();
  #thinksInParts = false;
  #hasSaid = false;
  /** A refusal becomes text with the finish reason `content_filter`, since the adapter drops refusals. */
  #hasRefused = false;
  #hasFailed = false;

  /** @param opened what the model's earlier answers have shown */
  constructor(opened: OpenedTags) {
    this.#tags = new ThinkTags(opened);
  }

  /** @returns chunks as OpenAI writes them */
  take(data: string, event: string | undefined): Json[] {
    return this.#parse(data).flatMap((value) => this.#value(value, event));
  }

  /** @throws EmptyResponse */
  end(): Json[] {
    if (this.#hasFailed) return [];
    // An answer that was cut off, or took up its whole limit, may have ended within its thoughts.
    const hasEnded = this.#isMarkedDone || this.#finish !== "";
    const isAnswer = this.#calls.length === 0 && hasEnded && this.#finish !== "length";
    const last = this.#tags.end(isAnswer).map(({ kind, text }) => this.#said(kind, text));
    if (!this.#finish && !this.#hasSaid && this.#calls.length === 0) throw new EmptyResponse();
    const calls = this.#calls.length > 0 && this.#calls.every((call) => isWhole(call.arguments || "{}"));
    const given = calls ? "tool_calls" : this.#isMarkedDone ? "stop" : CUT;
    const beside = {
      ...(this.#sources.length > 0 ? { sources: this.#sources } : {}),
      ...(this.#images.size > 0 ? { images: [...this.#images] } : {}),
      ...(this.#thinksInParts ? { thinksInParts: true } : {}),
    };
    const finish = this.#finish || given;
    const said = this.#hasRefused && finish === "stop" ? "content_filter" : finish;
    return [...last, { ...this.#chunk({}, said), ...beside }];
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
        // Some servers send no empty line between events.
        return data.split("\n").flatMap(read);
      } catch (error) {
        throw new MalformedResponse(error);
      }
    }
  }

  #value(value: unknown, event: string | undefined): Json[] {
    if (!isObject(value)) return [];
    const choice = asObject(asList(value.choices)[0]);
    const error = value.error || choice.error;
    if (error || event === "error") {
      this.#hasFailed = true;
      return [errorOf(error || value)];
    }
    const { id, created, model } = value;
    this.#head = { ...this.#head, ...present({ id, created, model } as Json) };
    // Each event may repeat all of them.
    if (Array.isArray(value.citations))
      this.#sources = value.citations
        .slice(0, MAX_SOURCES)
        .map((source) => asText(source) || asText(asObject(source).url));
    const reason = asText(choice.finish_reason);
    if (reason) this.#finish = REASONS[reason.toLowerCase()] ?? reason.toLowerCase();
    const delta = isObject(choice.delta) ? choice.delta : asObject(choice.message);
    const chunks = this.#delta({ content: choice.text, ...delta });
    if (isObject(value.usage)) chunks.push({ ...this.#chunk({}), choices: [], usage: present(value.usage) });
    return chunks;
  }

  #delta(delta: Json): Json[] {
    const { content, refusal, images, function_call } = delta;
    for (const annotation of asList(delta.annotations)) {
      const url = asText(asObject(asObject(annotation).url_citation).url);
      if (url && this.#sources.length < MAX_SOURCES) this.#sources.push(url);
    }
    for (const image of asList(images)) {
      this.#hasSaid = true;
      if (this.#images.size < MAX_IMAGES) this.#images.add(imageData(asObject(image)));
    }
    this.#thinksInParts ||= asList(content).some((part) => asObject(part).type === "thinking");
    const thoughts = this.#thoughts(delta);
    const said =
      typeof content === "string"
        ? this.#tags.take(content).map(({ kind, text }) => this.#said(kind, text))
        : asList(content).map((part) => this.#said("text", [part]));
    this.#hasRefused ||= asText(refusal) !== "";
    const refused = asText(refusal) === "" ? [] : [this.#said("text", asText(refusal))];
    const legacy = isObject(function_call) ? [{ index: 0, function: function_call }] : [];
    const calls = [...asList(delta.tool_calls), ...legacy].map((call) => this.#call(asObject(call)));
    const toolCalls = calls.length > 0 ? [this.#chunk({ tool_calls: calls })] : [];
    return [...thoughts, ...said, ...refused, ...toolCalls];
  }

  #thoughts({ reasoning_content, reasoning, reasoning_details }: Json): Json[] {
    const details = asList(reasoning_details);
    const thoughts = asText(reasoning_content) || asText(reasoning);
    const detailed = details
      .map((one) => asText(asObject(one).text) || asText(asObject(one).summary))
      .join("");
    if (thoughts === "" && details.length === 0) return [];
    this.#tags.expectNone();
    this.#hasSaid ||= thoughts + detailed !== "";
    return [
      this.#chunk({
        ...(asText(reasoning_content)
          ? { reasoning_content }
          : thoughts || detailed
            ? { reasoning: thoughts || detailed }
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
    call.isEmpty ||= text !== written && written === "{}";
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
    const sameId = this.#callsById.get(id);
    if (sameId) return counts && sameId.givenIndex !== index && name !== "" ? undefined : sameId;
    const last = counts ? this.#callsByIndex.get(index) : this.#calls.at(-1);
    if (!last || name === "" || last.name === "") return last;
    // A name again: of the next call, or of this one, as some servers repeat it.
    if (id !== "") return last.givenId !== "" ? undefined : last;
    const isOther = last.isEmpty && last.arguments === "" && last.name !== name;
    const isNext = !counts || isOther || isWhole(last.arguments);
    return isNext ? undefined : last;
  }

  #add(givenIndex: unknown, id: string): Call {
    const givenId = this.#callsById.has(id) ? "" : id;
    const call = { index: this.#calls.length, givenIndex, givenId, name: "", arguments: "", isEmpty: false };
    this.#calls.push(call);
    if (givenId !== "") this.#callsById.set(givenId, call);
    this.#callsByIndex.set(givenIndex, call);
    return call;
  }

  #chunk(delta: Json, finish?: string): Json {
    const choice = { index: 0, delta, ...(finish ? { finish_reason: finish } : {}) };
    return { object: "chat.completion.chunk", ...this.#head, choices: [choice] };
  }
}
