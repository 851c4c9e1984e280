import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";
import { parseWellFormed } from "~/core/well-formed";
import { readDataUrl } from "./content.schema";
import { invalidField } from "./parse-request";

/** What a model's adapter says it can be given as an address (`LanguageModelV3.supportedUrls`, awaited). */
export type SupportedUrls = Record<string, readonly RegExp[]>;

export type UserPart = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];
type ToolMessage = Extract<LanguageModelV3Message, { role: "tool" }>;
type ToolResult = Extract<ToolMessage["content"][number], { type: "tool-result" }>;
export type FunctionTool = Extract<
  NonNullable<LanguageModelV3CallOptions["tools"]>[number],
  { type: "function" }
>;
type JsonSchema7 = FunctionTool["inputSchema"];

/** Path in the caller's request. */
export type Path = readonly (string | number)[];

function takesAddress(url: string, supported: SupportedUrls): boolean {
  const lower = url.toLowerCase();
  return ["image/*", "*/*", "*"].some((type) => supported[type]?.some((pattern) => pattern.test(lower)));
}

/** An image for the prompt. An address is only ever given on: fetching it is the model's business, never ours. */
export function imagePart(url: string, supported: SupportedUrls, path: Path): UserPart {
  const data = readDataUrl(url);
  if (data) return { type: "file", mediaType: data.mediaType, data: data.base64 };
  if (takesAddress(url, supported)) return { type: "file", mediaType: "image/*", data: new URL(url) };
  throw invalidField(
    path,
    "This model doesn't support image URLs. Send the image as a base64 data URL instead.",
  );
}

/** The arguments of an earlier tool call. What isn't an object is kept as the AI SDK itself keeps it. */
export function toolInput(json: string): Record<string, unknown> {
  try {
    const value: unknown = json.trim() === "" ? {} : parseWellFormed(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // A model may have written half an object; its next turn is to see what it wrote.
  }
  return { rawInvalidInput: json };
}

/** Limits for providers called through an adapter; calls in the provider's own protocol have its own limits. */
const MOST_TOOLS = 128;
const LONGEST_CALL_ID = 200;
const LONGEST_DESCRIPTION = 20_000;

/** @throws AppError `invalid` for more tools, or longer descriptions of them, than can be translated */
export function checkTools(tools: readonly FunctionTool[]): FunctionTool[] {
  if (tools.length > MOST_TOOLS) throw invalidField(["tools"], `At most ${MOST_TOOLS} tools are allowed.`);
  const long = tools.findIndex(({ description }) => (description?.length ?? 0) > LONGEST_DESCRIPTION);
  if (long >= 0) throw invalidField(["tools", long], "The tool's description is too long.");
  return [...tools];
}

/** The prompt under construction: what the AI SDK's adapters ask of the order is seen to here. */
export class PromptBuilder {
  readonly #system: string[] = [];
  readonly #turns: LanguageModelV3Message[] = [];
  readonly #toolNames = new Map<string, string>();

  /**
   * Instructions given later move to the front as well, into one message: not every provider takes them in between, and
   * many a local model's template knows one only.
   */
  addSystem(content: string): void {
    if (content !== "") this.#system.push(content);
  }

  addUser(content: UserPart[]): void {
    if (content.length > 0) this.#turns.push({ role: "user", content });
  }

  addAssistant(content: Extract<LanguageModelV3Message, { role: "assistant" }>["content"], path: Path): void {
    for (const part of content) {
      if (part.type !== "tool-call") continue;
      if (part.toolCallId.length > LONGEST_CALL_ID) {
        throw invalidField(path, `A tool call's id has at most ${LONGEST_CALL_ID} characters.`);
      }
      this.#toolNames.set(part.toolCallId, part.toolName);
    }
    if (content.length > 0) this.#turns.push({ role: "assistant", content });
  }

  /** Results of one turn's calls form one message. */
  addToolResult(toolCallId: string, output: ToolResult["output"], path: Path): void {
    const toolName = this.#toolNames.get(toolCallId);
    if (toolName === undefined) {
      throw invalidField(path, "No earlier message has a tool call with this id.");
    }
    const result: ToolResult = { type: "tool-result", toolCallId, toolName, output };
    const last = this.#turns.at(-1);
    if (last?.role === "tool") last.content.push(result);
    else this.#turns.push({ role: "tool", content: [result] });
  }

  build(): LanguageModelV3Message[] {
    const content = this.#system.join("\n\n");
    return content === "" ? this.#turns : [{ role: "system", content }, ...this.#turns];
  }
}

/** A checked schema in the SDK's terms, which list every keyword with the form it has. */
export const asJsonSchema = (schema: Record<string, unknown>): JsonSchema7 => schema as JsonSchema7;

/** A tool's parameters describe an object, also where their schema doesn't say so. */
export const asToolInput = (schema: Record<string, unknown> | null | undefined): JsonSchema7 =>
  asJsonSchema(schema ? { type: "object", ...schema } : { type: "object", properties: {} });

/** Omits unset values: an adapter distinguishes an absent setting from one that is undefined or null. */
export function present<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined && value !== null),
  ) as { [K in keyof T]?: NonNullable<T[K]> };
}
