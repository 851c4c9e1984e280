import { z } from "zod";
import { StepState } from "~/ai/models/step-state.schema";
import { RouteRecord } from "~/platform/catalogue/models.schema";
import { APPROVAL_REASONS } from "./approval-reasons.shared";
import { Question, QuestionEnd } from "./question.schema";

/** Where a prompt was trimmed to the model's context. */
export const TrimmedContext = z.object({
  firstSentId: z.string().describe("The oldest message that was sent to the model"),
  contextLength: z.number().int().describe("The model's context, in tokens"),
});
export type TrimmedContext = z.infer<typeof TrimmedContext>;

/** What fills a model's context after an answer, in estimated tokens. */
export const ContextUse = z.object({
  length: z.number().int().optional().describe("The model's context; absent if unknown"),
  system: z.number().int().describe("The persona's instructions"),
  tools: z.number().int().describe("Descriptions of the tools"),
  passages: z.number().int().describe("Passages found in documents"),
  summary: z.number().int().describe("The summary of older messages"),
  turns: z.number().int().describe("Messages, attached files, tool calls and their results"),
  problem: z.string().optional().describe("Why older messages couldn't be summarized"),
});
export type ContextUse = z.infer<typeof ContextUse>;

/** Figures of an answer; null if unknown. Times in ms, cost in millionths of a dollar. */
export const AnswerMetrics = z.object({
  provider: z.string().optional(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  /** Of the input, what the provider read from its cache and wrote to it. */
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  /** The console counted tokens, since the provider reported none. */
  estimated: z.boolean().optional(),
  costMicros: z.number().nullable(),
  firstTokenMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  steps: z.number(),
  /** Max Steps was reached while the model still called tools. */
  stepsExhausted: z.boolean().optional(),
  /** The model stopped at its output limit. */
  lengthReached: z.boolean().optional(),
  /** That limit, in tokens. */
  outputLimit: z
    .object({
      tokens: z.number().int(),
      thoughts: z.number().int().describe("Of the limit, the room for thoughts"),
      byContext: z.boolean().describe("The model's context leaves no more beside the prompt"),
    })
    .optional(),
  /** The provider's content filter ended the answer. */
  filtered: z.boolean().optional(),
  /** The provider ended the answer without saying why, so that it may not be whole. */
  mayBeCut: z.boolean().optional(),
  refused: z
    .enum(["request", "answer"])
    .optional()
    .describe(
      "What a guardrail or a provider's content filter refused. A question that was refused isn't sent again with later ones",
    ),
  /** The answer was stopped at its time limit. */
  timeLimitReached: z.boolean().optional(),
  /** Images not sent: too old, or the model has no vision. */
  imagesLeftOut: z.number().int().optional(),
  /** Older messages weren't sent, since they didn't fit into the model's context. */
  trimmed: TrimmedContext.optional(),
  context: ContextUse.optional(),
  /** The routing reason and all attempts. */
  route: RouteRecord.optional(),
});
export type AnswerMetrics = z.infer<typeof AnswerMetrics>;

export const ToolProgress = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});
export type ToolProgress = z.infer<typeof ToolProgress>;

const call = { toolCallId: z.string(), toolName: z.string() };

/**
 * A subset of the AI SDK's UI message stream (v1), so that its clients can read it.
 * https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
export const StreamChunk = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("start"),
    messageId: z.string(),
    messageMetadata: z.object({ model: z.string(), persona: z.string().optional() }),
  }),
  z.object({ type: z.literal("start-step") }),
  z.object({ type: z.literal("text-start"), id: z.string() }),
  z.object({ type: z.literal("text-delta"), id: z.string(), delta: z.string() }),
  z.object({ type: z.literal("text-end"), id: z.string() }),
  z.object({ type: z.literal("reasoning-start"), id: z.string() }),
  z.object({ type: z.literal("reasoning-delta"), id: z.string(), delta: z.string() }),
  z.object({
    type: z.literal("reasoning-end"),
    id: z.string(),
    /** Duration of reasoning; the protocol reserves this field for extensions. */
    providerMetadata: z.object({ console: z.object({ durationMs: z.number() }).optional() }).optional(),
  }),
  /** An image that the model made; the protocol reserves the metadata for extensions. */
  z.object({
    type: z.literal("file"),
    url: z.string(),
    mediaType: z.string(),
    providerMetadata: z.object({
      console: z.object({ id: z.string(), name: z.string(), size: z.number() }),
    }),
  }),
  z.object({ type: z.literal("tool-input-start"), ...call }),
  z.object({ type: z.literal("tool-input-delta"), toolCallId: z.string(), inputTextDelta: z.string() }),
  z.object({
    type: z.literal("tool-input-available"),
    ...call,
    input: z.unknown(),
    /** The call was approved, possibly with a changed input. */
    approval: z.object({ edited: z.boolean() }).optional(),
  }),
  z.object({ type: z.literal("tool-input-error"), ...call, input: z.unknown(), errorText: z.string() }),
  z.object({
    type: z.literal("tool-approval-request"),
    approvalId: z.string(),
    toolCallId: z.string(),
    reason: z.enum(APPROVAL_REASONS),
  }),
  z.object({ type: z.literal("tool-output-denied"), toolCallId: z.string(), errorText: z.string() }),
  /** Progress of a tool call; `id` is the call's. */
  z.object({
    type: z.literal("data-tool-progress"),
    id: z.string(),
    data: ToolProgress,
    transient: z.literal(true),
  }),
  /** A running call asks the person; `id` is the call's. */
  z.object({
    type: z.literal("data-tool-question"),
    id: z.string(),
    data: Question,
    transient: z.literal(true),
  }),
  /** A question was answered, or can't be any more; `id` is the call's. */
  z.object({
    type: z.literal("data-tool-answer"),
    id: z.string(),
    data: QuestionEnd.extend({ questionId: z.string() }),
    transient: z.literal(true),
  }),
  /** A call that may have an effect has begun; `id` is the call's. */
  z.object({
    type: z.literal("data-tool-begun"),
    id: z.string(),
    data: z.object({}),
    transient: z.literal(true),
  }),
  z.object({ type: z.literal("tool-output-available"), toolCallId: z.string(), output: z.unknown() }),
  z.object({ type: z.literal("tool-output-error"), toolCallId: z.string(), errorText: z.string() }),
  /** Stored with the others and sent to nobody. */
  z.object({ type: z.literal("data-step-state"), data: StepState, transient: z.literal(true) }),
  /** What an answer of which nothing has come for a while waits for, in words. */
  z.object({
    type: z.literal("data-waiting"),
    data: z.object({ text: z.string() }),
    transient: z.literal(true),
  }),
  z.object({ type: z.literal("finish-step") }),
  z.object({ type: z.literal("error"), errorText: z.string() }),
  z.object({ type: z.literal("abort"), reason: z.string() }),
  z.object({
    type: z.literal("finish"),
    finishReason: z.enum(["stop", "length", "content-filter", "tool-calls", "error", "other"]).optional(),
    messageMetadata: AnswerMetrics.partial(),
  }),
]);
export type StreamChunk = z.infer<typeof StreamChunk>;
