import { z } from "zod";
import type { Guard, StreamedText } from "~/ai/guardrails/guardrails.service.server";
import { parseWellFormed } from "~/core/well-formed";
import type { ProtocolName } from "./protocols/index";
import { type Frame, FrameReader } from "./protocols/sse-frames";
import type { ResponseWriter } from "./stream/source";

/** A valid call's body with its personal data masked; the same bytes if nothing is. @throws GuardrailRefusal */
export async function guardBody(guard: Guard, bytes: Uint8Array): Promise<Uint8Array> {
  const body = parseWellFormed(Buffer.from(bytes).toString("utf8"));
  const guarded = await guard.request(body);
  return guarded === body ? bytes : Buffer.from(JSON.stringify(guarded));
}

/** A whole response, checked, with what was masked put back. @throws GuardrailRefusal */
export async function guardResponse(guard: Guard, body: Uint8Array | string): Promise<string> {
  const text = typeof body === "string" ? body : Buffer.from(body).toString("utf8");
  const { answer } = await guard.answer({ answer: withoutLogprobs(parseWellFormed(text)) });
  return JSON.stringify(answer);
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Probabilities name each token of a text, with placeholders, and before the text is checked. */
function withoutLogprobs(json: unknown): unknown {
  if (!isObject(json)) return json;
  for (const choice of listOf(json.choices)) if (choice.logprobs) choice.logprobs = null;
  if (Array.isArray(json.logprobs)) json.logprobs = [];
  for (const item of [json.item, json.part, ...listOf(json.output)].filter(isObject))
    for (const part of [item, ...listOf(item.content)]) if (part.logprobs) part.logprobs = [];
  return json;
}

/** A piece of a text in a frame, and where it stands. */
interface Piece {
  channel: string;
  kind: "text" | "json" | "thought";
  holder: Json;
  member: string;
}

/** The pieces of texts in a frame; what else it holds is whole. */
interface FrameTexts {
  pieces: Piece[];
  /** Beginnings of the channels that end with this frame. */
  ends: string[];
}

const THOUGHTS = ["reasoning", "reasoning_content", "thinking"];

const pieceOf = (holder: unknown, member: string, kind: Piece["kind"], channel: string): Piece[] =>
  isObject(holder) && typeof holder[member] === "string" ? [{ channel, kind, holder, member }] : [];

function chatTexts(json: Json): FrameTexts {
  const pieces: Piece[] = [];
  const ends: string[] = [];
  for (const choice of listOf(json.choices)) {
    const at = `${Number(choice.index ?? 0)}/`;
    const add = (holder: unknown, member: string, kind: Piece["kind"], more = "") =>
      pieces.push(...pieceOf(holder, member, kind, `${at}${more}${member}`));
    const delta = isObject(choice.delta) ? choice.delta : {};
    for (const member of ["content", "refusal"]) add(delta, member, "text");
    for (const member of THOUGHTS) add(delta, member, "thought");
    // As a list, as Mistral streams them.
    for (const part of listOf(delta.content)) {
      if (part.type === "text") pieces.push(...pieceOf(part, "text", "text", `${at}content`));
      for (const thought of [part, ...listOf(part.thinking)])
        if (part.type === "thinking")
          pieces.push(
            ...pieceOf(thought, thought === part ? "thinking" : "text", "thought", `${at}thinking`),
          );
    }
    add(delta.audio, "transcript", "text", "audio/");
    add(delta.function_call, "arguments", "json", "function/");
    for (const call of listOf(delta.tool_calls))
      add(call.function, "arguments", "json", `${Number(call.index ?? 0)}/`);
    if (choice.finish_reason) ends.push(at);
  }
  return { pieces, ends };
}

const RESPONSES_JSON = /^response\.(?:function_call_arguments|mcp_call_arguments)\./;

function responsesTexts(json: Json): FrameTexts {
  const type = String(json.type ?? "");
  const place = [json.output_index, json.content_index ?? json.summary_index ?? 0].map(Number).join("/");
  const kind = RESPONSES_JSON.test(type)
    ? "json"
    : type.startsWith("response.reasoning")
      ? "thought"
      : "text";
  if (type.endsWith(".delta") && typeof json.delta === "string")
    return {
      pieces: [{ channel: `${place}/${type.slice(0, -6)}`, kind, holder: json, member: "delta" }],
      ends: [],
    };
  const isEnd = ["response.completed", "response.incomplete", "response.failed"].includes(type);
  if (type.endsWith(".done")) return { pieces: [], ends: [`${Number(json.output_index)}/`] };
  return { pieces: [], ends: isEnd ? [""] : [] };
}

const ANTHROPIC_DELTAS: Readonly<Record<string, [member: string, kind: Piece["kind"]]>> = {
  text_delta: ["text", "text"],
  input_json_delta: ["partial_json", "json"],
  thinking_delta: ["thinking", "thought"],
};

function anthropicTexts(json: Json): FrameTexts {
  const { type, delta, content_block: block } = json;
  const at = `${Number(json.index ?? 0)}/`;
  if (type === "content_block_delta" && isObject(delta)) {
    const [member, kind] = ANTHROPIC_DELTAS[String(delta.type)] ?? [];
    if (!member || !kind) return { pieces: [], ends: [] };
    return { pieces: pieceOf(delta, member, kind, `${at}${member}`), ends: [] };
  }
  if (type === "content_block_start")
    return { pieces: pieceOf(block, "text", "text", `${at}text`), ends: [] };
  if (type === "content_block_stop") return { pieces: [], ends: [at] };
  const isEnd = type === "message_delta" || type === "message_stop";
  return { pieces: [], ends: isEnd ? [""] : [] };
}

const TEXTS: Partial<Record<ProtocolName, (json: Json) => FrameTexts>> = {
  "openai-chat": chatTexts,
  "openai-responses": responsesTexts,
  "anthropic-messages": anthropicTexts,
};

const Numbered = z.object({ sequence_number: z.int() });

interface Channel {
  text: StreamedText;
  /** A frame of the channel's own, without its text. */
  toFrame(text: string): string;
}

const toFrame = (event: string, json: unknown) =>
  `${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(json)}\n\n`;

/** Checks a stream in its caller's protocol, whether it was passed on or translated, and puts back what was masked. */
export class GuardedWriter implements ResponseWriter {
  readonly #frames = new FrameReader();
  readonly #channels = new Map<string, Channel>();
  readonly #texts: (json: Json) => FrameTexts;
  #sequence: number | undefined;

  constructor(
    private readonly guard: Guard,
    protocol: ProtocolName,
    private readonly writer: ResponseWriter,
  ) {
    const texts = TEXTS[protocol];
    if (!texts) throw new Error(`${protocol} has no streams.`);
    this.#texts = texts;
  }

  /** @throws GuardrailRefusal; as the caller's */
  async write(bytes: Uint8Array): Promise<void> {
    let text = "";
    for (const frame of this.#frames.push(bytes)) text += await this.#check(frame);
    if (text !== "") await this.writer.write(Buffer.from(text));
  }

  /** Writes what is held back once the stream has ended. */
  async end(): Promise<void> {
    const rest = this.#frames.rest();
    const text = (rest ? await this.#check(rest) : "") + (await this.#endChannels(""));
    if (text !== "") await this.writer.write(Buffer.from(text));
  }

  async #check({ bytes, event, data }: Frame): Promise<string> {
    if (data === "") return bytes.toString("utf8");
    if (data.trim() === "[DONE]") return (await this.#endChannels("")) + bytes.toString("utf8");
    const json = withoutLogprobs(parseWellFormed(data));
    if (!isObject(json)) return bytes.toString("utf8");
    const { pieces, ends } = this.#texts(json);
    for (const piece of pieces) await this.#checkPiece(piece, event, json, ends);
    let before = "";
    for (const end of ends) before += await this.#endChannels(end);
    const isKnown = (holder: object, name: string) =>
      pieces.some((piece) => piece.holder === holder && piece.member === name);
    return before + toFrame(event, this.#numbered(await this.guard.answer(json, isKnown)));
  }

  async #checkPiece(
    { channel: name, kind, holder, member }: Piece,
    event: string,
    json: Json,
    ends: string[],
  ) {
    let channel = this.#channels.get(name);
    if (!channel) {
      channel = { text: this.guard.stream(kind), toFrame: frameMaker(event, json, holder, member) };
      this.#channels.set(name, channel);
    }
    let text = await channel.text.push(String(holder[member]));
    if (ends.some((end) => name.startsWith(end))) {
      text += await channel.text.end();
      this.#channels.delete(name);
    }
    holder[member] = text;
  }

  async #endChannels(beginning: string): Promise<string> {
    let frames = "";
    for (const [name, channel] of [...this.#channels]) {
      if (!name.startsWith(beginning)) continue;
      this.#channels.delete(name);
      const text = await channel.text.end();
      if (text !== "") frames += this.#renumber(channel.toFrame(text));
    }
    return frames;
  }

  #renumber(frame: string): string {
    if (this.#sequence === undefined) return frame;
    return frame.replace(/"sequence_number":\d+/, () => `"sequence_number":${this.#next()}`);
  }

  #next(): number {
    this.#sequence = (this.#sequence ?? -1) + 1;
    return this.#sequence;
  }

  /** Frames that are added shift the numbers of those after them. */
  #numbered(json: Json): Json {
    const numbered = Numbered.safeParse(json).data;
    if (!numbered) return json;
    this.#sequence ??= numbered.sequence_number - 1;
    return { ...json, sequence_number: this.#next() };
  }
}

/** Makes frames of a channel like its first one, with another text and nothing else of an answer. */
function frameMaker(event: string, json: Json, holder: Json, member: string): Channel["toFrame"] {
  const mark = "\u0000text\u0000";
  const original = holder[member];
  holder[member] = mark;
  const choices = listOf(json.choices);
  const own = choices.find((choice) => JSON.stringify(choice).includes(JSON.stringify(mark)));
  const alone = own ? { ...json, choices: [{ ...own, finish_reason: null }], usage: undefined } : json;
  let template = structuredClone(alone) as Json;
  // The block's first frame has an event of its own, which is sent once.
  if (template.type === "content_block_start")
    template = {
      type: "content_block_delta",
      index: template.index,
      delta: { type: "text_delta", text: mark },
    };
  holder[member] = original;
  for (const choice of listOf(template.choices)) choice.delta = withOnly(mark, choice.delta);
  const name = event === "content_block_start" ? "content_block_delta" : event;
  const frame = toFrame(name, template);
  return (text) => frame.replace(JSON.stringify(mark), () => JSON.stringify(text));
}

/** Of a delta what leads to the mark, so that other texts of the frame aren't repeated. */
function withOnly(mark: string, value: unknown): unknown {
  const holds = (part: unknown) => JSON.stringify(part)?.includes(JSON.stringify(mark));
  if (Array.isArray(value)) return value.filter(holds).map((item) => withOnly(mark, item));
  if (!isObject(value)) return value;
  const isKept = ([name, member]: [string, unknown]) =>
    name === "index" || (name === "type" && member !== "function") || holds(member);
  return Object.fromEntries(
    Object.entries(value)
      .filter(isKept)
      .map(([name, member]) => [name, withOnly(mark, member)]),
  );
}
