import { z } from "zod";
import { EFFORT_CHOICES } from "~/ai/models/model-picker.shared";
import { AnswerMetrics, ToolProgress } from "~/ai/tools/answer-stream.schema";
import { APPROVAL_REASONS } from "~/ai/tools/approval-reasons.shared";
import { Question } from "~/ai/tools/question.schema";
import { ToolNames } from "~/ai/tools/tools.schema";
import { AttachmentIds, AttachmentPart } from "./attachments/attachments.schema";
import { MAX_STEPS } from "./chat-choices.shared";
import { ContextSummary, SummaryEdit } from "./context/context.schema";

const MESSAGE_LIMIT = 200_000;
/** Messages a new conversation may begin with. */
export const HISTORY_LIMIT = 500;

const text = z
  .string()
  .max(MESSAGE_LIMIT, `Use at most ${MESSAGE_LIMIT.toLocaleString("en-US")} characters in a message`);

export const InputMessage = z.object({
  role: z.enum(["user", "assistant"], {
    error: "The role must be user or assistant, not system",
  }),
  content: text,
});

const maxSteps = z.coerce
  .number("Enter a whole number for Max Steps")
  .int("Enter a whole number for Max Steps")
  .min(MAX_STEPS.min, "Enter 1 to 10 for Max Steps")
  .max(MAX_STEPS.max, "Enter 1 to 10 for Max Steps")
  .default(MAX_STEPS.default);

const reasoningEffort = z.enum(EFFORT_CHOICES, { error: "Choose an effort from the list" }).optional();

export const AnswerOptions = z.object({
  model: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe(
      "ID of the model. Leave out to use the persona's default model if available, else the chat's default",
    ),
  tools: ToolNames.optional().describe(
    "Names of the tools the model can call. Leave out to use the persona's",
  ),
  offeredTools: ToolNames.optional().describe(
    "Those of `tools` that nobody selected: they ask before a call that changes or sends data",
  ),
  maxSteps: maxSteps.describe("Maximum model calls per answer"),
  reasoningEffort: reasoningEffort.describe(
    "How much a model that reasons thinks. Leave out to use the persona's; `default` leaves it to the model",
  ),
  persona: z
    .string()
    .trim()
    .max(200)
    .nullish()
    .describe("A persona's id or exact name; null or `default` for none"),
  memory: z.boolean().optional().describe("Uses your memories and may propose more, if you turned memory on"),
});

export const ChatRequest = AnswerOptions.extend({
  messages: z
    .array(InputMessage)
    .min(1, "Enter at least one message")
    .max(HISTORY_LIMIT, `Start a conversation with at most ${HISTORY_LIMIT} messages`)
    .refine((messages) => messages.at(-1)?.role === "user", "The last message must be the user's"),
  conversationId: z.string().max(100).optional().describe("Continues a stored conversation"),
  folderId: z
    .string()
    .max(100)
    .optional()
    .describe("Folder of a new conversation. Without `persona` it begins with the folder's"),
  attachments: AttachmentIds.optional().describe("IDs of uploaded files that the last message is sent with"),
  messageId: z
    .string()
    .regex(/^msg_[0-9a-z]{30,60}$/, "Use msg_ and 30 to 60 random letters or digits")
    .optional()
    .describe(
      "ID that you choose for the last message. A second request with the same ID sends nothing and gets the answer to the first",
    ),
  temporary: z
    .boolean()
    .optional()
    .describe(
      "Stores nothing but usage: no conversation, message or title. Send all of `messages` again with each question. Tools are those that only read, and disconnecting stops the answer",
    ),
})
  .refine(({ messages, attachments }) => messages.at(-1)?.content.trim() !== "" || attachments?.length, {
    error: "Enter a message",
    path: ["messages"],
  })
  .refine(
    ({ temporary, conversationId, folderId, attachments, messageId }) =>
      !temporary || !(conversationId || folderId || attachments?.length || messageId),
    {
      error: "A temporary chat has no conversationId, folderId, attachments or messageId",
      path: ["temporary"],
    },
  );
export type ChatRequest = z.infer<typeof ChatRequest>;

const MessageId = z.string().min(1).max(100);

export const RegenerateRequest = AnswerOptions.extend({
  messageId: MessageId.optional().describe(
    "The answer to generate again, which is kept as a variant. Leave out for the last one",
  ),
});
export type RegenerateRequest = z.infer<typeof RegenerateRequest>;

export const ContinueRequest = z.object({
  messageId: MessageId.optional().describe(
    "The answer that was cut off, which is kept as a variant. Leave out for the last one",
  ),
});
export type ContinueRequest = z.infer<typeof ContinueRequest>;

/** A form's fields of one name, of which there may be none. */
export const listed = <T extends z.ZodType>(list: T) =>
  z.preprocess((value) => (value === undefined || value === "" ? [] : [value].flat()), list);

const stringList = listed(z.array(z.string().max(100)).max(50));

export const EditRequest = AnswerOptions.extend({
  messageId: MessageId.describe("The user's message to change, which is kept as a variant"),
  content: text.trim().min(1, "Enter a message"),
});
export type EditRequest = z.infer<typeof EditRequest>;

export const MessageTarget = z.object({ messageId: MessageId });

export const FeedbackInput = MessageTarget.extend({
  rating: z.enum(["up", "down"]).nullable().describe("Null removes it"),
  comment: z
    .string()
    .trim()
    .max(2000, "Use at most 2,000 characters")
    .nullish()
    .transform((comment) => comment || null),
  shared: z
    .boolean()
    .optional()
    .describe("Whether admins may read the comment, the question and the answer; stays as it is by default"),
});
export type FeedbackInput = z.infer<typeof FeedbackInput>;

const queryId = z.string().max(100).optional().catch(undefined);

export const ChatQuery = z.object({
  persona: queryId,
  /** Where a new conversation goes. */
  folder: queryId,
  before: queryId,
  /** Shows the messages around this one. */
  message: queryId,
  panel: z.enum(["edit", "again", "variants", "comment"]).optional().catch(undefined),
  of: queryId,
});
export type ChatQuery = z.infer<typeof ChatQuery>;

/** The chat screen's form, which posts without JavaScript too. */
export const ChatForm = z.object({
  content: text.trim().min(1, "Enter a message"),
  conversationId: z.string().max(100).optional(),
  model: z.string().max(200).optional(),
  persona: z.string().max(200).optional(),
  maxSteps,
  reasoningEffort,
  tools: stringList,
  memory: z.preprocess((value) => value === "on", z.boolean()),
});

const OptionalMessageId = z.preprocess((value) => (value === "" ? undefined : value), MessageId.optional());

export const RegenerateForm = z.object({
  messageId: OptionalMessageId,
  model: z.string().max(200).optional(),
});

export const ContinueForm = z.object({ messageId: OptionalMessageId });

export const EditForm = z.object({ messageId: MessageId, content: EditRequest.shape.content });

export const SummaryForm = MessageTarget.extend(SummaryEdit.shape);

export const FeedbackForm = FeedbackInput.extend({
  rating: z.preprocess((value) => value || null, FeedbackInput.shape.rating),
  /** A hidden field says that the box was there. */
  shared: z.preprocess(
    (value) => (value === undefined ? undefined : [value].flat().includes("on")),
    FeedbackInput.shape.shared,
  ),
});

export const PersonaForm = ChatForm.extend({ content: text.default(""), files: stringList });

export const ConversationSettings = z.object({
  personaId: z.string().optional().catch(undefined),
  maxSteps: z
    .number()
    .int()
    .min(MAX_STEPS.min)
    .max(MAX_STEPS.max)
    .catch(MAX_STEPS.default)
    .default(MAX_STEPS.default),
  reasoningEffort: z.enum(EFFORT_CHOICES).optional().catch(undefined),
  tools: z.array(z.string()).optional().catch(undefined),
  /** Of the tools, those that nobody selected, and which of their calls ask. */
  offered: z
    .record(z.string(), z.enum(["always", "changes"]))
    .optional()
    .catch(undefined),
  memory: z.boolean().optional().catch(undefined).describe("Whether it uses memories and may propose more"),
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
      decision: z
        .enum(["approved", "refused", "lapsed"])
        .optional()
        .describe("`lapsed`: the answer was stopped, or another message was sent, before the call ran"),
      edited: z.boolean().optional(),
    })
    .optional()
    .describe("Set once the call waited for approval"),
  begun: z
    .boolean()
    .optional()
    .describe("Set while a call runs that may have an effect, and if a restart interrupted it"),
  progress: ToolProgress.optional().describe("How far a running call is"),
  questions: z.array(Question).optional().describe("What the call asked you, with your answers"),
  output: z.unknown().optional(),
  error: z.string().optional(),
  stopped: z
    .boolean()
    .optional()
    .describe("Set on a failed call that ended with its answer, such as at a stop"),
});

/** Part of an answer, in order. `step` begins another model call. */
export const MessagePart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), id: z.string(), text: z.string() }),
  z.object({
    type: z.literal("reasoning"),
    id: z.string(),
    text: z.string(),
    durationMs: z.number().optional().describe("Absent until it has ended"),
  }),
  ToolPart,
  z.object({
    type: z.literal("file"),
    id: z.string().describe("Get its bytes from /api/tool-files/{id}"),
    name: z.string(),
    mediaType: z.string(),
    size: z.number().describe("In bytes"),
  }),
  z.object({ type: z.literal("step") }),
  AttachmentPart,
]);
export type MessagePart = z.infer<typeof MessagePart>;
export type FilePart = Extract<MessagePart, { type: "file" }>;
export type ToolPart = z.infer<typeof ToolPart>;

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
  waiting: z.string().optional().describe("What a running answer waits for, if nothing comes for a while"),
  metrics: AnswerMetrics.nullable(),
  parentId: z.string().nullable().describe("The message it follows; null for a first one"),
  variants: z
    .array(z.string())
    .describe(
      "IDs of all versions of this message, itself included, from the oldest; empty if it is the only one",
    ),
  feedback: z
    .object({ rating: z.enum(["up", "down"]), comment: z.string().nullable(), shared: z.boolean() })
    .nullable()
    .describe("Your rating of this answer"),
  timestamp: z.iso.datetime(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

const Activity = z.enum(["running", "waiting", "unread"]);
export type Activity = z.infer<typeof Activity>;

export const ConversationSummary = z.object({
  id: z.string(),
  title: z.string(),
  model: z.string(),
  pinned: z.boolean(),
  archived: z.boolean().describe("Archived conversations are left out of lists unless asked for"),
  folderId: z.string().nullable(),
  activity: Activity.nullable().describe(
    "`running`: an answer is being written; `waiting`: it waits for your approval; `unread`: it ended while no page showed it",
  ),
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
  /** The last stream event included in `messages`. */
  lastEventId: z.number().int(),
  activeMessageId: z.string().nullable().describe("The last message of the active branch"),
  messages: z.array(ChatMessage).describe("The active branch's latest messages, oldest first"),
  summary: ContextSummary.nullable().describe("What models are sent in place of older messages"),
  hasEarlier: z
    .boolean()
    .describe(
      "The branch has older messages. `GET /api/ai/conversations/{conversation}/messages` lists them",
    ),
});
export type Conversation = z.infer<typeof Conversation>;

export const TITLE_LIMIT = 200;

export const ConversationTitle = z
  .string()
  .trim()
  .min(1, "Enter a title")
  .max(TITLE_LIMIT, `Use at most ${TITLE_LIMIT} characters`)
  .transform((title) => title.replaceAll(/\s+/g, " "));

export interface ShownConversation extends Conversation {
  hasLater: boolean;
  isActiveBranch: boolean;
  messageCount: number;
}

export const ConversationPatch = z
  .object({
    title: ConversationTitle,
    pinned: z.boolean(),
    archived: z.boolean(),
    folderId: z
      .string()
      .max(100)
      .nullable()
      .describe("One of your folders, or a project of yours; null for none"),
    sharingAllowed: z
      .boolean()
      .describe("Whether tools can share restricted content. 409 if the conversation isn't restricted"),
  })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, "Name at least one field to change");
export type ConversationPatch = z.infer<typeof ConversationPatch>;
