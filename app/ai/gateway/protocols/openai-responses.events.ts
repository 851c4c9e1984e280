import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { newId } from "~/core/ids.server";
import { type Block, BlockQueue, MAX_LENGTH, tooLong } from "./block-queue";
import {
  endOf,
  type ItemStatus,
  itemOf,
  keptItem,
  type OutputItem,
  PREFIXES,
  type ResponseBody,
  type ResponsesMeta,
  type State,
  summaryPart,
  textPart,
  toBody,
  toUsage,
} from "./openai-responses.response";
import { type CallableTool, plainInput, toolsByName } from "./openai-responses.tools";

type FinishPart = Extract<LanguageModelV3StreamPart, { type: "finish" }>;

interface Position {
  item_id: string;
  output_index: number;
}

type Event =
  | { type: "response.created" | "response.in_progress"; response: ResponseBody }
  | { type: "response.completed" | "response.incomplete"; response: ResponseBody }
  | {
      type: "response.output_item.added" | "response.output_item.done";
      output_index: number;
      item: OutputItem;
    }
  | (Position & { content_index: 0 } & (
        | {
            type: "response.content_part.added" | "response.content_part.done";
            part: ReturnType<typeof textPart>;
          }
        | { type: "response.output_text.delta"; delta: string; logprobs: never[] }
        | { type: "response.output_text.done"; text: string; logprobs: never[] }
      ))
  | (Position & { summary_index: 0 } & (
        | {
            type: "response.reasoning_summary_part.added" | "response.reasoning_summary_part.done";
            part: ReturnType<typeof summaryPart>;
          }
        | { type: "response.reasoning_summary_text.delta"; delta: string }
        | { type: "response.reasoning_summary_text.done"; text: string }
      ))
  | (Position & { type: "response.function_call_arguments.delta"; delta: string })
  | (Position & { type: "response.function_call_arguments.done"; name: string; arguments: string })
  | (Position & { type: "response.custom_tool_call_input.delta"; delta: string })
  | (Position & { type: "response.custom_tool_call_input.done"; input: string });

export type ResponsesEvent = Event & { sequence_number: number };

/** Builds a stream's events. `error` parts are handled by the caller. */
export class ResponsesEvents {
  #sequence = 0;
  #length = 0;
  readonly #output: OutputItem[] = [];
  /** Of the open block. */
  #id = "";
  #text = "";
  #packed: string | undefined;
  /** Of items that end from now on. */
  #status: "completed" | "incomplete" = "completed";
  readonly #tools: ReadonlyMap<string, CallableTool>;
  readonly #blocks = new BlockQueue<ResponsesEvent>({
    start: (block) => this.#start(block),
    add: (block, text) => this.#add(block, text),
    stop: (block) => this.#stop(block),
  });

  constructor(private readonly meta: ResponsesMeta) {
    this.#tools = toolsByName(meta.settings);
  }

  /** @throws AppError `provider_unavailable` for a response that is too long */
  take(part: LanguageModelV3StreamPart): ResponsesEvent[] {
    if (part.type === "finish") return this.#finish(part);
    const events = this.#blocks.take(part);
    if (this.#length + this.#blocks.waitingLength > MAX_LENGTH) throw tooLong();
    return events;
  }

  keep(packed: string): void {
    this.#packed = packed;
  }

  /** The response so far, and the number of its last event. */
  get progress() {
    return { response: this.#body("in_progress"), sequence: this.#sequence - 1 };
  }

  #made(event: Event): ResponsesEvent {
    return { ...event, sequence_number: this.#sequence++ };
  }

  #body(status: State["status"], rest: Partial<State> = {}): ResponseBody {
    return toBody(this.meta, { status, output: this.#output, ...rest });
  }

  #begin(): ResponsesEvent[] {
    if (this.#sequence > 0) return [];
    const response = this.#body("in_progress");
    return [
      this.#made({ type: "response.created", response }),
      this.#made({ type: "response.in_progress", response }),
    ];
  }

  #isCustom({ name }: Block): boolean {
    return this.#tools.get(name)?.tool.type === "custom";
  }

  get #position(): Position {
    return { item_id: this.#id, output_index: this.#output.length };
  }

  #item(block: Block, status: ItemStatus): OutputItem {
    return itemOf(block, this.#id, this.#text, this.#tools.get(block.name), status);
  }

  #start(block: Block): ResponsesEvent[] {
    const begun = this.#begin();
    this.#id = newId(this.#isCustom(block) ? "ctc" : PREFIXES[block.kind]);
    this.#text = "";
    const output_index = this.#output.length;
    const item = this.#item(block, "in_progress");
    const added = [...begun, this.#made({ type: "response.output_item.added", output_index, item })];
    if (block.kind === "text") {
      const part = textPart("");
      added.push(
        this.#made({ type: "response.content_part.added", ...this.#position, content_index: 0, part }),
      );
    }
    if (block.kind === "thinking") {
      const part = summaryPart("");
      added.push(
        this.#made({
          type: "response.reasoning_summary_part.added",
          ...this.#position,
          summary_index: 0,
          part,
        }),
      );
    }
    return added;
  }

  #add(block: Block, delta: string): ResponsesEvent[] {
    this.#length += delta.length;
    this.#text += delta;
    const at = this.#position;
    if (block.kind === "text")
      return [
        this.#made({ type: "response.output_text.delta", ...at, content_index: 0, delta, logprobs: [] }),
      ];
    if (block.kind === "thinking")
      return [this.#made({ type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta })];
    // Its plain text is known once its arguments are whole.
    if (this.#isCustom(block)) return [];
    return [this.#made({ type: "response.function_call_arguments.delta", ...at, delta })];
  }

  #stop(block: Block): ResponsesEvent[] {
    const isBare = block.kind === "tool_use" && this.#text === "" && this.#status === "completed";
    const filled = isBare ? this.#add(block, "{}") : [];
    const done = this.#done(block).map((event) => this.#made(event));
    const item = this.#item(block, this.#status);
    return [...filled, ...done, ...this.#put(item)];
  }

  #put(item: OutputItem): ResponsesEvent[] {
    const output_index = this.#output.length;
    this.#output.push(item);
    return [this.#made({ type: "response.output_item.done", output_index, item })];
  }

  #done(block: Block): Event[] {
    const at = this.#position;
    const text = this.#text;
    if (block.kind === "text") {
      const inContent = { ...at, content_index: 0 as const };
      return [
        { type: "response.output_text.done", ...inContent, text, logprobs: [] },
        { type: "response.content_part.done", ...inContent, part: textPart(text) },
      ];
    }
    if (block.kind === "thinking") {
      const inSummary = { ...at, summary_index: 0 as const };
      return [
        { type: "response.reasoning_summary_text.done", ...inSummary, text },
        { type: "response.reasoning_summary_part.done", ...inSummary, part: summaryPart(text) },
      ];
    }
    if (this.#isCustom(block)) {
      const input = plainInput(text);
      return [
        { type: "response.custom_tool_call_input.delta", ...at, delta: input },
        { type: "response.custom_tool_call_input.done", ...at, input },
      ];
    }
    const name = this.#tools.get(block.name)?.tool.name ?? block.name;
    return [{ type: "response.function_call_arguments.done", ...at, name, arguments: text }];
  }

  #kept(): ResponsesEvent[] {
    if (this.#packed === undefined) return [];
    const item = keptItem(this.#packed);
    const { encrypted_content: _, ...empty } = item;
    const output_index = this.#output.length;
    return [
      this.#made({ type: "response.output_item.added", output_index, item: empty }),
      ...this.#put(item),
    ];
  }

  #finish(part: FinishPart): ResponsesEvent[] {
    const { finishReason, usage } = part;
    const { status, incomplete } = endOf(finishReason);
    const noted = this.#blocks.take(part);
    this.#status = status;
    const before = [...noted, ...this.#begin(), ...this.#blocks.end(), ...this.#kept()];
    const response = this.#body(status, { incomplete, usage: toUsage(usage) });
    const type = status === "completed" ? "response.completed" : "response.incomplete";
    return [...before, this.#made({ type, response })];
  }
}
