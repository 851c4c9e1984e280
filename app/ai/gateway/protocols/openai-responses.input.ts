import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { unpackStep } from "~/ai/models/models.service.server";
import { checkBase64, checkContent, invalidField, readDataUrl } from "./content";
import type {
  ResponsesContent,
  ResponsesItem,
  ResponsesPart,
  ResponsesRequest,
  TranslatableRequest,
} from "./openai-responses.schema";
import { customArguments, joinedName } from "./openai-responses.tools";
import {
  type AssistantPart,
  filePart,
  imagePart,
  type Path,
  PromptBuilder,
  parseToolArguments,
  type SupportedUrls,
  type UserPart,
} from "./prompt";

const TRANSLATED = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
]);

/** @throws AppError `invalid` for items that only OpenAI's own API knows */
export function refuseOwnItems(input: ResponsesRequest["input"]): void {
  if (!Array.isArray(input)) return;
  for (const [index, { type }] of input.entries()) {
    // The schema of translated items refuses other types than texts.
    if (typeof type !== "string" || TRANSLATED.has(type)) continue;
    const message =
      type === "item_reference"
        ? "Responses aren't stored here, so items can't be referred to. Send store as false, so that your client sends the items themselves."
        : `This model's provider doesn't support items of type ${type.slice(0, 64)}. Leave the item out.`;
    throw invalidField(["input", index], message);
  }
}

const asParts = (content: ResponsesContent): ResponsesPart[] =>
  typeof content === "string" ? [{ type: "input_text", text: content }] : content;

function textOf(part: ResponsesPart, path: Path): string {
  if (part.type === "input_text" || part.type === "output_text") return part.text ?? "";
  if (part.type === "refusal") return part.refusal ?? "";
  throw invalidField(path, `A part of type ${part.type} isn't allowed here.`);
}

const textsOf = (content: ResponsesContent, path: Path): string[] =>
  asParts(content).map((part, index) => textOf(part, [...path, index]));

const TEXT_TYPES = /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml|yaml))$/;

/** PDFs go to the model, which reads them or not; texts become text. */
function inputFile(part: ResponsesPart, supported: SupportedUrls, path: Path): UserPart {
  const { file_data, file_url, filename } = part;
  if (file_url) {
    if (!/^https?:\/\//i.test(file_url) || !URL.canParse(file_url))
      throw invalidField([...path, "file_url"], "A file's URL must be an http(s) URL.");
    return filePart(file_url, "application/pdf", supported, [...path, "file_url"]);
  }
  const at = [...path, "file_data"];
  const data = readDataUrl(file_data ?? "");
  if (!data) throw invalidField(at, "Send the file's content in file_data, as a base64 data URL.");
  const problem = checkBase64(data.base64, "file");
  if (problem) throw invalidField(at, problem);
  const { mediaType, base64 } = data;
  if (mediaType === "application/pdf")
    return { type: "file", mediaType, data: base64, ...(filename ? { filename } : {}) };
  if (!TEXT_TYPES.test(mediaType)) throw invalidField(at, "A file must be a PDF or a text.");
  const text = Buffer.from(base64, "base64").toString("utf8");
  return { type: "text", text: filename ? `${filename}:\n\n${text}` : text };
}

function userPart(part: ResponsesPart, supported: SupportedUrls, path: Path): UserPart {
  if (part.file_id)
    throw invalidField([...path, "file_id"], "Files aren't stored here. Send the content itself.");
  if (part.type === "input_image") return imagePart(part.image_url ?? "", supported, [...path, "image_url"]);
  if (part.type === "input_file") return inputFile(part, supported, path);
  return { type: "text", text: textOf(part, path) };
}

const userParts = (content: ResponsesContent, supported: SupportedUrls, path: Path): UserPart[] =>
  asParts(content).map((part, index) => userPart(part, supported, [...path, index]));

/**
 * A model's turn is several items: thoughts, texts and calls. Other thoughts than what the gateway packed are dropped:
 * only their own model can verify them.
 */
class ModelTurn {
  #parts: AssistantPart[] = [];
  #kept: ReturnType<typeof unpackStep>;
  #path: Path = [];

  constructor(private readonly prompt: PromptBuilder) {}

  add(path: Path, ...parts: AssistantPart[]): void {
    this.#parts.push(...parts);
    this.#path = path;
  }

  keep(encrypted: string | null | undefined): void {
    this.#kept = unpackStep(encrypted) ?? this.#kept;
  }

  end(): void {
    this.prompt.addAssistant(this.#parts, this.#path, this.#kept);
    this.#parts = [];
    this.#kept = undefined;
  }
}

function addItem(
  prompt: PromptBuilder,
  turn: ModelTurn,
  item: ResponsesItem,
  supported: SupportedUrls,
  path: Path,
): void {
  switch (item.type) {
    case "reasoning":
      turn.keep(item.encrypted_content);
      break;
    case "function_call": {
      const { call_id: toolCallId, arguments: json } = item;
      const toolName = joinedName(item.name, item.namespace);
      turn.add(path, { type: "tool-call", toolCallId, toolName, input: parseToolArguments(json) });
      break;
    }
    case "custom_tool_call": {
      const toolName = joinedName(item.name, item.namespace);
      const input = customArguments(item.input);
      turn.add(path, { type: "tool-call", toolCallId: item.call_id, toolName, input });
      break;
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      turn.end();
      const output = userParts(item.output, supported, [...path, "output"]);
      prompt.addToolResult(item.call_id, output, [...path, "call_id"]);
      break;
    }
    case "message": {
      const at = [...path, "content"];
      if (item.role === "user") {
        turn.end();
        prompt.addUser(userParts(item.content, supported, at));
      } else if (item.role === "assistant") {
        const texts = textsOf(item.content, at).filter((text) => text !== "");
        turn.add(path, ...texts.map((text) => ({ type: "text" as const, text })));
      } else prompt.addSystem(textsOf(item.content, at).join("\n"));
      break;
    }
  }
}

type PromptPart = Exclude<LanguageModelV3Message["content"], string>[number];

function textsOfPart(part: PromptPart): string[] {
  if (part.type === "text") return [part.text];
  return part.type === "tool-result" && part.output.type === "text" ? [part.output.value] : [];
}

/** @throws AppError `invalid` for what an adapter can't express, `too_large` */
export function toPrompt({ instructions, input }: TranslatableRequest, supported: SupportedUrls) {
  const prompt = new PromptBuilder();
  const turn = new ModelTurn(prompt);
  prompt.addSystem(instructions ?? "");
  if (typeof input === "string") prompt.addUser([{ type: "text", text: input }]);
  else {
    for (const [index, item] of input.entries()) addItem(prompt, turn, item, supported, ["input", index]);
  }
  turn.end();
  const built = prompt.build();
  const parts = built.flatMap(({ role, content }): PromptPart[] => (role === "system" ? [] : content));
  // Once more, since files have become text.
  checkContent(parts.flatMap(textsOfPart), parts.filter(({ type }) => type === "file").length);
  return built;
}
