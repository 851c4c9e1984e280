import { z } from "zod";
import { RouteRecord } from "~/features/models/models.schema";
import { APPROVAL_REASONS } from "~/features/tools/approval-reasons.schema";
import type { ToolInfo } from "~/features/tools/tools.schema";
import { MAX_STEPS } from "./limits.schema";

/** Characters of one message. */
const MESSAGE_LIMIT = 200_000;
/** Messages a new conversation may begin with. */
const HISTORY_LIMIT = 500;

const text = z
  .string()
  .max(MESSAGE_LIMIT, `Use at most ${MESSAGE_LIMIT.toLocaleString("en-US")} characters in a message`);

const InputMessage = z.object({
  role: z.enum(["user", "assistant"], {
    error: "The role must be user or assistant, not system",
  }),
  content: text,
});

const maxSteps = z.coerce
  .number()
  .int("Max Steps is a whole number")
  .min(MAX_STEPS.min, "Max Steps is 1 to 10")
  .max(MAX_STEPS.max, "Max Steps is 1 to 10")
  .default(MAX_STEPS.default);

const AnswerOptions = z.object({
  model: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe(
      "Id of the model. Leave out to use the persona's default model if available, else the chat's default",
    ),
  tools: z
    .array(z.string().max(100))
    .max(50)
    .optional()
    .describe("Names of the tools the model can call. Leave out to use the persona's"),
  maxSteps: maxSteps.describe("Maximum model calls per answer"),
  persona: z.string().trim().max(200).optional().describe("A persona's id or exact name"),
});

/** The body of `POST /api/ai/chat`. */
export const ChatRequest = AnswerOptions.extend({
  messages: z
    .array(InputMessage)
    .min(1, "Enter at least one message")
    .max(HISTORY_LIMIT, `Start a conversation with at most ${HISTORY_LIMIT} messages`)
    .refine((messages) => messages.at(-1)?.role === "user", "The last message must be the user's")
    .refine((messages) => messages.at(-1)?.content.trim() !== "", "Enter a message"),
  conversationId: z.string().max(100).optional().describe("Continues a stored conversation"),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** The body of a Regenerate. */
export const RegenerateRequest = AnswerOptions.extend({
  messageId: z.string().max(100).optional().describe("The answer to replace. It must be the last one"),
});
export type RegenerateRequest = z.infer<typeof RegenerateRequest>;

const list = z.preprocess(
  (value) => (value === undefined || value === "" ? [] : Array.isArray(value) ? value : [value]),
  z.array(z.string().max(100)).max(50),
);

/** What the screen's address says. */
export const ChatQuery = z.object({
  /** A new conversation begins with this persona. */
  persona: z.string().max(100).optional().catch(undefined),
});

/** The chat screen's form, which posts without JavaScript too. */
export const ChatForm = z.object({
  content: text.trim().min(1, "Enter a message"),
  conversationId: z.string().max(100).optional(),
  model: z.string().max(200).optional(),
  persona: z.string().max(200).optional(),
  maxSteps,
  tools: list,
});

/** The same form where it only takes over a persona: nothing needs to be typed yet. */
export const PersonaForm = ChatForm.extend({ content: text.default("") });

/** What the form showed last, kept with the conversation. */
export const ConversationSettings = z.object({
  personaId: z.string().optional().catch(undefined),
  maxSteps: z
    .number()
    .int()
    .min(MAX_STEPS.min)
    .max(MAX_STEPS.max)
    .catch(MAX_STEPS.default)
    .default(MAX_STEPS.default),
  tools: z.array(z.string()).optional().catch(undefined),
});
export type ConversationSettings = z.infer<typeof ConversationSettings>;

const ToolPart = z.object({
  type: z.literal("tool"),
  toolCallId: z.string(),
  toolName: z.string(),
  state: z.enum(["writing", "waiting", "running", "done", "failed"]),
  input: z.unknown(),
  approval: z
    .object({
      reason: z.enum(APPROVAL_REASONS),
      decision: z.enum(["approved", "refused"]).optional(),
      /** The person changed the input. */
      edited: z.boolean().optional(),
    })
    .optional()
    .describe("Set once the call waited for approval"),
  output: z.unknown().optional(),
  error: z.string().optional(),
});

/** A stretch of an answer in its order. `step` begins another call to the model. */
export const MessagePart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), id: z.string(), text: z.string() }),
  z.object({ type: z.literal("reasoning"), id: z.string(), text: z.string() }),
  ToolPart,
  z.object({ type: z.literal("step") }),
]);
export type MessagePart = z.infer<typeof MessagePart>;
export type ToolPart = z.infer<typeof ToolPart>;

/** Figures of a whole answer; null where the provider reported none. Times in ms, cost in millionths of a dollar. */
export const AnswerMetrics = z.object({
  provider: z.string().optional(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  costMicros: z.number().nullable(),
  firstTokenMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  steps: z.number(),
  /** The turn ended because Max Steps was reached while the model still called tools. */
  stepsExhausted: z.boolean().optional(),
  /** The model stopped at the most tokens it could write. */
  lengthReached: z.boolean().optional(),
  /** Why the provider was chosen, and every attempt of every step. */
  route: RouteRecord.optional(),
});
export type AnswerMetrics = z.infer<typeof AnswerMetrics>;

export const MessageStatus = z
  .enum(["complete", "streaming", "waiting", "stopped", "interrupted", "failed"])
  .describe("`waiting`: tool calls wait for your approval");
export type MessageStatus = z.infer<typeof MessageStatus>;

const ToolCall = z.object({
  name: z.string(),
  parameters: z.unknown(),
  result: z.unknown().describe("Null while pending; only `error` if the call failed"),
});

export const ChatMessage = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  status: MessageStatus,
  content: z.string().describe("The text alone"),
  parts: z.array(MessagePart),
  toolCall: ToolCall.optional().describe("The first tool call. All are listed in `parts`"),
  model: z.string().nullable(),
  persona: z.string().nullable(),
  error: z.string().nullable(),
  metrics: AnswerMetrics.nullable(),
  timestamp: z.iso.datetime(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

export const ConversationSummary = z.object({
  id: z.string(),
  title: z.string(),
  model: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ConversationSummary = z.infer<typeof ConversationSummary>;

export const Conversation = ConversationSummary.extend({
  settings: ConversationSettings,
  comparisonId: z.string().nullable().describe("The comparison it is a column of"),
  restricted: z
    .boolean()
    .describe(
      "It contains passages of restricted documents. Tools that write where everyone can read, or send data outside, are refused",
    ),
  sharingAllowed: z.boolean().describe("Its owner allowed those tools"),
  outsideContent: z.boolean().describe("It contains content from outside"),
  approvedTools: z.array(z.string()).describe("Tools that its owner approved for the whole conversation"),
  /** The id of the last stream event that `messages` already shows; a resume continues after it. */
  lastEventId: z.number().int(),
  messages: z.array(ChatMessage),
});
export type Conversation = z.infer<typeof Conversation>;

/** What may be changed of a conversation. */
export const ConversationPatch = z.strictObject({
  sharingAllowed: z.boolean().describe("Whether tools can share restricted content"),
});
export type ConversationPatch = z.infer<typeof ConversationPatch>;

/** What the chat screen offers. */
export interface ChatChoices {
  /** `provider` is the name of the provider that serves it. */
  models: { id: string; name: string; provider: string }[];
  personas: { id: string; name: string; defaultModel: string; tools: string[] }[];
  tools: Pick<ToolInfo, "name" | "title" | "effect">[];
}

/** Something to begin with: a message to send, or a screen to open. */
export type Starter = { label: string } & ({ prompt: string } | { to: string });

/** Who asks, as the messages show them. */
export interface Asker {
  id: string;
  name: string;
  picture: string | null;
}

/** What its form says. */
export interface ChatOptions {
  model: string;
  /** A persona's id; empty for the default. */
  persona: string;
  maxSteps: number;
  tools: string[];
}
