import { z } from "zod";
import { checkBase64, checkImageUrl } from "./content";
import { bounded, ModelId, messagesOf, NO_MESSAGE, refuse, ToolName, toolsOf } from "./content.schema";
import { JsonSchema, ToolParameters } from "./tool-schema.schema";

/**
 * Anthropic's request as far as the gateway reads it; unknown members are kept for providers of the protocol
 * (https://platform.claude.com/docs/en/api/messages/create).
 */
export const ImageSource = z.looseObject({
  type: z.string().max(64),
  media_type: z.string().max(100).optional(),
  data: z.string().optional(),
  url: z.string().optional(),
});

function problemWithSource(source: z.infer<typeof ImageSource> | undefined): string | undefined {
  if (source?.type === "base64") return checkBase64(source.data ?? "", "image");
  if (source?.type === "url") return checkImageUrl(source.url ?? "");
  return source ? undefined : "An image needs a source.";
}

const Plain = z
  .looseObject({ type: z.string().max(64), text: z.string().optional(), source: z.unknown().optional() })
  .superRefine((block, context) => {
    if (block.type === "text" && block.text === undefined) {
      refuse(context, ["text"], "A text block needs text.");
    }
    // Other blocks have a source of another form: a search result's is a text.
    if (block.type !== "image") return;
    const source = ImageSource.optional().safeParse(block.source);
    const problem = source.success ? problemWithSource(source.data) : "An image needs a source.";
    if (problem) refuse(context, ["source"], problem);
  });
export type PlainBlock = z.infer<typeof Plain>;

const contentOf = <T extends z.ZodType>(block: T) =>
  z.union([z.string(), bounded(block, 5000, "blocks")], "Content must be a string or an array of blocks.");

const Id = z.string().min(1);

const Block = Plain.safeExtend({
  id: Id.optional(),
  name: z.string().max(200).optional(),
  input: z.unknown().optional(),
  tool_use_id: Id.optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
}).superRefine((block, context) => {
  if (block.type === "tool_use" && (!block.id || !block.name)) {
    refuse(context, ["id"], "A tool_use block needs an id and a name.");
  }
  if (block.type !== "tool_result") return;
  if (!block.tool_use_id) {
    refuse(context, ["tool_use_id"], "A tool_result block needs a tool_use_id.");
  }
  const content = ResultContent.safeParse(block.content);
  const first = content.error?.issues[0];
  if (first) {
    refuse(context, ["content", ...first.path], first.message);
  }
});
export type MessageBlock = z.infer<typeof Block>;

export const ResultContent = contentOf(Plain).nullish();

const Message = z.looseObject({
  role: z.enum(["user", "assistant", "system"], "The role must be user or assistant."),
  content: contentOf(Block),
});
export type AnthropicMessage = z.infer<typeof Message>;

const Tool = z
  .looseObject({
    type: z.string().max(100).nullish(),
    name: ToolName.optional(),
    description: z.string().nullish(),
    input_schema: ToolParameters.optional(),
    strict: z.boolean().nullish(),
  })
  .superRefine((tool, context) => {
    if (tool.type && tool.type !== "custom") return;
    for (const field of ["name", "input_schema"] as const) {
      if (tool[field] !== undefined) continue;
      refuse(context, [field], `A tool requires ${field}.`);
    }
  });
export type AnthropicTool = z.infer<typeof Tool>;

const OutputFormat = z.looseObject({ type: z.string().max(64), schema: JsonSchema.optional() }).nullish();

const AnyMessagesRequest = z.looseObject(
  {
    model: ModelId,
    messages: messagesOf(Message, 0),
    /** The conversation is kept at the provider (beta `message-threads-2026-08-12`). */
    thread: z.looseObject({ type: z.string().max(64) }).nullish(),
    max_tokens: z.number("max_tokens is required.").int().min(1).max(10_000_000),
    system: contentOf(Plain).nullish(),
    stream: z.boolean().nullish(),
    tools: toolsOf(Tool).nullish(),
    tool_choice: z
      .looseObject({
        type: z.string().max(64),
        name: z.string().max(200).optional(),
        disable_parallel_tool_use: z.boolean().nullish(),
      })
      .nullish(),
    temperature: z.number().min(0).max(1).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_k: z.number().int().min(0).nullish(),
    stop_sequences: bounded(z.string(), 100, "stop sequences").nullish(),
    metadata: z.looseObject({ user_id: z.string().max(1000).nullish() }).nullish(),
    output_config: z
      .looseObject({
        effort: z.string().max(20).nullish(),
        format: OutputFormat,
      })
      .nullish(),
    /** The beta form of `output_config.format`. */
    output_format: OutputFormat,
  },
  "The request must be a JSON object.",
);

export const MessagesRequest = AnyMessagesRequest.refine(
  ({ messages, thread }) => messages.length > 0 || thread?.type === "continue",
  { path: ["messages"], message: NO_MESSAGE },
);

/** The same, of which nothing is answered. */
export const CountTokensRequest = AnyMessagesRequest.omit({ max_tokens: true, stream: true });

export type CountTokensRequest = z.infer<typeof CountTokensRequest>;

export const TokenCount = z.object({ input_tokens: z.int().nonnegative() });
export type TokenCount = z.infer<typeof TokenCount>;
export type MessagesRequest = z.infer<typeof MessagesRequest>;
