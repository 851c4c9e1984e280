import { z } from "zod";
import { checkImageUrl } from "./content";
import {
  bounded,
  MAX_MESSAGES,
  MAX_TRANSLATED_TOOLS,
  ModelId,
  messagesOf,
  refuse,
  ToolName,
  toolsOf,
} from "./content.schema";
import { JsonSchema, ToolParameters } from "./tool-schema.schema";

/** Function names; the provider validates its own tools. */
const Tool = z
  .looseObject({ type: z.string().max(64), parameters: z.unknown().optional() })
  .superRefine((tool, context) => {
    if (tool.type !== "function" || tool.parameters === undefined || tool.parameters === null) return;
    const first = ToolParameters.safeParse(tool.parameters).error?.issues[0];
    if (!first) return;
    refuse(context, ["parameters", ...first.path], first.message);
  });

/**
 * OpenAI's request as far as routing reads it (https://platform.openai.com/docs/api-reference/responses/create). What a
 * provider of the protocol gets as it is, it judges itself.
 */
export const ResponsesRequest = z.looseObject(
  {
    model: ModelId,
    stream: z.boolean().nullish(),
    input: z
      .union(
        [z.string(), bounded(z.looseObject({}), MAX_MESSAGES, "items")],
        "The input must be a string or an array of items.",
      )
      .optional(),
    instructions: z.string().nullish(),
    tools: toolsOf(Tool).nullish(),
  },
  "The request must be a JSON object.",
);
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;

const Part = z
  .looseObject({
    type: z.string().max(64),
    text: z.string().optional(),
    refusal: z.string().optional(),
    image_url: z.string().nullish(),
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().max(1000).nullish(),
  })
  .superRefine((part, context) => {
    if (/_text$/.test(part.type) && part.text === undefined)
      refuse(context, ["text"], `A part of type ${part.type} needs text.`);
    if (part.type !== "input_image" || part.file_id) return;
    const problem = part.image_url ? checkImageUrl(part.image_url) : "An image part needs an image_url.";
    if (problem) refuse(context, ["image_url"], problem);
  });
export type ResponsesPart = z.infer<typeof Part>;

const Content = z.union(
  [z.string(), bounded(Part, 5000, "parts")],
  "Content must be a string or an array of parts.",
);
export type ResponsesContent = z.infer<typeof Content>;

const Id = z.string().min(1);
const Name = z.string().max(200);

const Message = z.looseObject({
  type: z.literal("message"),
  role: z.enum(
    ["system", "developer", "user", "assistant"],
    "The role must be system, developer, user or assistant.",
  ),
  content: Content,
});
const Reasoning = z.looseObject({
  type: z.literal("reasoning"),
  encrypted_content: z.string().nullish(),
});
const FunctionCall = z.looseObject({
  type: z.literal("function_call"),
  call_id: Id,
  name: Name,
  namespace: Name.nullish(),
  arguments: z.string(),
});
const CustomCall = z.looseObject({
  type: z.literal("custom_tool_call"),
  call_id: Id,
  name: Name,
  namespace: Name.nullish(),
  input: z.string(),
});
const Output = z.looseObject({
  type: z.enum(["function_call_output", "custom_tool_call_output"]),
  call_id: Id,
  output: Content,
});

/** A message may leave out its type. */
const withType = (item: unknown): unknown =>
  typeof item === "object" && item !== null && "role" in item ? { type: "message", ...item } : item;

const InputItem = z.preprocess(
  withType,
  z.discriminatedUnion("type", [Message, Reasoning, FunctionCall, CustomCall, Output]),
);
export type ResponsesItem = z.infer<typeof InputItem>;

const FunctionTool = z.looseObject({
  type: z.literal("function"),
  name: ToolName,
  description: z.string().nullish(),
  parameters: ToolParameters.nullish(),
  strict: z.boolean().nullish(),
});
const CustomTool = z.looseObject({
  type: z.literal("custom"),
  name: ToolName,
  description: z.string().nullish(),
  format: z
    .looseObject({
      type: z.string().max(64),
      syntax: z.string().max(64).optional(),
      definition: z.string().optional(),
    })
    .nullish(),
});
const NamedTool = z.discriminatedUnion("type", [FunctionTool, CustomTool]);
export type NamedTool = z.infer<typeof NamedTool>;
const Namespace = z.looseObject({
  type: z.literal("namespace"),
  name: ToolName,
  tools: z.array(NamedTool),
});
const TranslatableTool = z.discriminatedUnion("type", [FunctionTool, CustomTool, Namespace]);

const toolsIn = (tool: unknown): number => {
  const { tools } = Object(tool) as { tools?: unknown };
  return Array.isArray(tools) ? Math.max(1, tools.length) : 1;
};

/** Those within namespaces count as well, before any of them is read. */
const TranslatableTools = z
  .array(z.unknown())
  .refine((all) => all.reduce<number>((sum, one) => sum + toolsIn(one), 0) <= MAX_TRANSLATED_TOOLS, {
    message: `At most ${MAX_TRANSLATED_TOOLS.toLocaleString("en")} tools are allowed.`,
    abort: true,
  })
  .pipe(z.array(TranslatableTool));

const ToolChoice = z.union(
  [
    z.enum(["none", "auto", "required"]),
    z.looseObject({
      type: z.string().max(64),
      name: z.string().max(200).optional(),
      mode: z.enum(["auto", "required"]).optional(),
      tools: bounded(
        z.looseObject({ name: z.string().optional() }),
        MAX_TRANSLATED_TOOLS,
        "tools",
      ).optional(),
    }),
  ],
  "The tool choice must be none, auto, required or a tool.",
);
export type ResponsesToolChoice = z.infer<typeof ToolChoice>;

const Format = z
  .looseObject({
    type: z.string().max(64),
    name: z.string().max(64).nullish(),
    description: z.string().max(20_000).nullish(),
    schema: JsonSchema.optional(),
    strict: z.boolean().nullish(),
  })
  .refine(({ type, schema }) => type !== "json_schema" || schema, {
    path: ["schema"],
    message: "The format needs a schema.",
  });

/** What a call says beside its conversation, which its response repeats. */
export const ResponsesSettings = z.object({
  instructions: z.string().nullish(),
  tools: TranslatableTools.nullish(),
  tool_choice: ToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: Format.nullish() }).nullish(),
  reasoning: z
    .looseObject({ effort: z.string().max(20).nullish(), summary: z.string().max(20).nullish() })
    .nullish(),
  max_output_tokens: z.int().min(1).max(10_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  prompt_cache_key: z.string().max(1000).nullish(),
  safety_identifier: z.string().max(1000).nullish(),
  user: z.string().max(1000).nullish(),
});
export type ResponsesSettings = z.infer<typeof ResponsesSettings>;

/** A request whose items and tools are all of kinds that other protocols have. */
export const TranslatableRequest = ResponsesSettings.extend({
  model: ModelId,
  input: z.union([z.string(), messagesOf(InputItem)], "The input must be a string or an array of items."),
});
export type TranslatableRequest = z.infer<typeof TranslatableRequest>;
