import { z } from "zod";
import { checkImageUrl } from "./content";
import { bounded, ModelId, messagesOf, refuse, ToolName, toolsOf } from "./content.schema";
import { JsonSchema, ToolParameters } from "./tool-schema.schema";

/**
 * OpenAI's request as far as the gateway reads it; unknown members are kept for providers of the protocol
 * (https://platform.openai.com/docs/api-reference/chat/create).
 */
const Part = z
  .looseObject({
    type: z.string().max(64),
    text: z.string().optional(),
    image_url: z.looseObject({ url: z.string() }).optional(),
  })
  .superRefine((part, context) => {
    if (part.type === "text" && part.text === undefined) {
      refuse(context, ["text"], "A text part needs text.");
    }
    if (part.type !== "image_url") return;
    const problem = part.image_url
      ? checkImageUrl(part.image_url.url)
      : "An image part needs an image_url with a url.";
    if (problem) refuse(context, ["image_url"], problem);
  });
export type ChatPart = z.infer<typeof Part>;

const ToolCall = z.looseObject({
  id: z.string().min(1),
  type: z.string().max(64),
  function: z.looseObject({ name: z.string().max(200), arguments: z.string() }).optional(),
  extra_content: z
    .looseObject({ google: z.looseObject({ thought_signature: z.string().nullish() }).nullish() })
    .nullish()
    // A provider of the protocol judges it.
    .catch(undefined),
});

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"] as const;

const Message = z
  .looseObject({
    role: z.enum(ROLES, "The role must be system, developer, user, assistant or tool."),
    content: z
      .union([z.string(), bounded(Part, 5000, "parts")], "Content must be a string or an array of parts.")
      .nullish(),
    tool_calls: bounded(ToolCall, 128, "tool calls").nullish(),
    tool_call_id: z.string().optional(),
  })
  .superRefine((message, context) => {
    if (message.role !== "assistant" && (message.content === undefined || message.content === null)) {
      refuse(context, ["content"], "The message has no content.");
    }
    if (message.role === "tool" && !message.tool_call_id) {
      refuse(context, ["tool_call_id"], "A tool message needs a tool_call_id.");
    }
  });
export type ChatMessage = z.infer<typeof Message>;

const Tool = z.looseObject({
  type: z.string().max(64),
  function: z
    .looseObject({
      name: ToolName,
      description: z.string().nullish(),
      parameters: ToolParameters.nullish(),
      strict: z.boolean().nullish(),
    })
    .optional(),
});
export type ChatTool = z.infer<typeof Tool>;

const ResponseFormat = z
  .looseObject({
    type: z.string().max(64),
    json_schema: z
      .looseObject({
        name: z.string().max(64).optional(),
        description: z.string().max(20_000).nullish(),
        schema: JsonSchema.optional(),
      })
      .optional(),
  })
  .refine((format) => format.type !== "json_schema" || format.json_schema, {
    path: ["json_schema"],
    message: "The format needs a json_schema.",
  });

const Tokens = z.number().int().min(1).max(10_000_000).nullish();

export const ChatRequest = z.looseObject(
  {
    model: ModelId,
    messages: messagesOf(Message),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    tools: toolsOf(Tool).nullish(),
    tool_choice: z
      .union(
        [
          z.enum(["none", "auto", "required"]),
          z.looseObject({
            type: z.string().max(64),
            function: z.looseObject({ name: z.string().max(200) }).optional(),
          }),
        ],
        "The tool choice must be none, auto, required or a function.",
      )
      .nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: ResponseFormat.nullish(),
    max_tokens: Tokens,
    max_completion_tokens: Tokens,
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    stop: z
      .union(
        [z.string(), bounded(z.string(), 4, "stop sequences")],
        "Stop must be a string or up to four strings.",
      )
      .nullish(),
    /** Not OpenAI's, but of most other servers. */
    // vLLM's clients send -1 for none.
    top_k: z.number().int().min(0).optional().catch(undefined),
    // 64 bits exceed a number's precision: it is passed on as written.
    seed: z.number().nullish(),
    n: z.number().int().min(1).max(128).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    reasoning_effort: z.string().max(20).nullish(),
    user: z.string().max(1000).nullish(),
  },
  "The request must be a JSON object.",
);
export type ChatRequest = z.infer<typeof ChatRequest>;
