import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";
import { closeCalls, withKeptStep } from "~/ai/models/models.service.server";
import type { KeptStep } from "~/ai/models/step-state.schema";
import { parseWellFormed } from "~/core/well-formed";
import { checkImageType, imageType, invalidField, readDataUrl } from "./content";
import { MAX_TRANSLATED_TOOLS } from "./content.schema";

/** URL patterns that an adapter accepts (`LanguageModelV3.supportedUrls`). */
export type SupportedUrls = Record<string, readonly RegExp[]>;

export type UserPart = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];
export type AssistantPart = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];
type ToolMessage = Extract<LanguageModelV3Message, { role: "tool" }>;
type ToolResult = Extract<ToolMessage["content"][number], { type: "tool-result" }>;
export type FunctionTool = Extract<
  NonNullable<LanguageModelV3CallOptions["tools"]>[number],
  { type: "function" }
>;
type JsonSchema7 = FunctionTool["inputSchema"];

export type Path = readonly (string | number)[];

function supportsUrl(url: string, mediaType: string, supported: SupportedUrls): boolean {
  const lower = url.toLowerCase();
  return [mediaType, "*/*", "*"].some((type) => supported[type]?.some((pattern) => pattern.test(lower)));
}

/** A file by its address, which only the model fetches. */
export function filePart(url: string, mediaType: string, supported: SupportedUrls, path: Path): UserPart {
  if (supportsUrl(url, mediaType, supported)) return { type: "file", mediaType, data: new URL(url) };
  const noun = mediaType === "image/*" ? "image" : "file";
  throw invalidField(
    path,
    `This model doesn't support ${noun} URLs. Send the ${noun} as a base64 data URL instead.`,
  );
}

export function base64Image(mediaType: string, data: string, path: Path): UserPart {
  const problem = checkImageType(mediaType);
  if (problem) throw invalidField(path, problem);
  return { type: "file", mediaType: imageType(mediaType), data };
}

export function imagePart(url: string, supported: SupportedUrls, path: Path): UserPart {
  const data = readDataUrl(url);
  if (data) return base64Image(data.mediaType, data.base64, path);
  return filePart(url, "image/*", supported, path);
}

/** Parses an earlier call's arguments. Other values are wrapped in `rawInvalidInput`, as in the AI SDK. */
export function parseToolArguments(json: string): Record<string, unknown> {
  try {
    const value: unknown = json.trim() === "" ? {} : parseWellFormed(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // A model may have written half an object; it should see that.
  }
  return { rawInvalidInput: json };
}

const MAX_CALL_ID_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 20_000;

export function checkTools(tools: readonly FunctionTool[]): FunctionTool[] {
  if (tools.length > MAX_TRANSLATED_TOOLS)
    throw invalidField(["tools"], `At most ${MAX_TRANSLATED_TOOLS.toLocaleString("en")} tools are allowed.`);
  const long = tools.findIndex(({ description }) => (description?.length ?? 0) > MAX_DESCRIPTION_LENGTH);
  if (long >= 0) throw invalidField(["tools", long], "The tool's description is too long.");
  return [...tools];
}

interface Turn {
  message: LanguageModelV3Message;
  /** Results come right behind their calls, as providers demand. */
  results: ToolResult[];
  /** Images and files of the results, which follow as the user's: few providers take them in results. */
  files: UserPart[];
}

/** Builds a prompt in the order that the SDK's adapters require. */
export class PromptBuilder {
  readonly #system: string[] = [];
  readonly #turns: Turn[] = [];
  /** By id: the last call with it, as some programs use an id in each turn. */
  readonly #calls = new Map<string, { toolName: string; turn: Turn; hasResult: boolean }>();

  /** Merges system messages at the front: many providers allow only one, first. */
  addSystem(content: string): void {
    if (content !== "") this.#system.push(content);
  }

  #add(message: LanguageModelV3Message): Turn {
    const turn: Turn = { message, results: [], files: [] };
    this.#turns.push(turn);
    return turn;
  }

  addUser(content: UserPart[]): void {
    if (content.length > 0) this.#add({ role: "user", content });
  }

  /** @param kept what the caller handed back of the step */
  addAssistant(content: AssistantPart[], path: Path, kept?: KeptStep): void {
    if (content.length === 0) return;
    const turn = this.#add(kept ? withKeptStep(content, kept) : { role: "assistant", content });
    for (const part of content) {
      if (part.type !== "tool-call") continue;
      const { toolCallId, toolName } = part;
      if (toolCallId.length > MAX_CALL_ID_LENGTH) {
        throw invalidField(path, `A tool call's id has at most ${MAX_CALL_ID_LENGTH} characters.`);
      }
      this.#calls.set(toolCallId, { toolName, turn, hasResult: false });
    }
  }

  /** A turn's results form one message. */
  addToolResult(
    toolCallId: string,
    content: readonly UserPart[],
    path: Path,
    type: "text" | "error-text" = "text",
  ): void {
    const call = this.#calls.get(toolCallId);
    if (!call) throw invalidField(path, "No earlier message has a tool call with this id.");
    if (call.hasResult) throw invalidField(path, "The tool call with this id has a result already.");
    call.hasResult = true;
    const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const files = content.filter((part) => part.type === "file");
    const noun = files.every(({ mediaType }) => mediaType.startsWith("image/")) ? "images" : "files";
    if (files.length > 0) texts.push(`(Its ${noun} are in the next message.)`);
    const { toolName, turn } = call;
    const output = { type, value: texts.join("\n\n") };
    turn.results.push({ type: "tool-result", toolCallId, toolName, output });
    turn.files.push(...files);
  }

  /** Calls without a result are closed with one that says so. */
  build(): LanguageModelV3Message[] {
    const messages: LanguageModelV3Message[] = [];
    let files: UserPart[] = [];
    for (const { message, results, files: ofResults } of this.#turns) {
      if (message.role === "user") messages.push({ ...message, content: [...files, ...message.content] });
      else messages.push(...(files.length > 0 ? [{ role: "user" as const, content: files }] : []), message);
      if (results.length > 0) messages.push({ role: "tool", content: results });
      files = ofResults;
    }
    if (files.length > 0) messages.push({ role: "user", content: files });
    const content = this.#system.join("\n\n");
    return closeCalls(content === "" ? messages : [{ role: "system", content }, ...messages]);
  }
}

/** Cast, since the SDK's type lists every keyword. */
export const asJsonSchema = (schema: Record<string, unknown>): JsonSchema7 => schema as JsonSchema7;

export const asToolInput = (schema: Record<string, unknown> | null | undefined): JsonSchema7 =>
  asJsonSchema(schema ? { ...schema, type: "object" } : { type: "object", properties: {} });

/** Adapters distinguish absent settings from null and undefined ones. */
export function present<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined && value !== null),
  ) as { [K in keyof T]?: NonNullable<T[K]> };
}
