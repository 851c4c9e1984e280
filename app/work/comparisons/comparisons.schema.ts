import { z } from "zod";
import { EFFORT_CHOICES } from "~/ai/models/model-picker.shared";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import { ChatMessage } from "~/work/chat/chat.schema";
import { COLUMNS } from "./columns.shared";
import { Change } from "./differences-task";

const PROMPT_LIMIT = 100_000;

/** Untouched selects are sent empty. */
const chosen = (value: unknown) =>
  (typeof value === "string" ? [value] : Array.isArray(value) ? value : []).filter(
    (item) => item !== undefined && item !== "",
  );

export const ComparisonInput = z.object({
  prompt: z
    .string({ error: "Enter a prompt" })
    .trim()
    .min(1, "Enter a prompt")
    .max(PROMPT_LIMIT, `Use at most ${PROMPT_LIMIT.toLocaleString("en-US")} characters in a prompt`),
  models: z
    .preprocess(
      chosen,
      z
        .array(z.string().trim().min(1).max(200))
        .min(COLUMNS.min, `Choose at least ${COLUMNS.min} models`)
        .max(COLUMNS.max, `Choose at most ${COLUMNS.max} models`)
        .superRefine((models, context) => {
          if (new Set(models).size < models.length) {
            context.addIssue({ code: "custom", message: "Choose each model only once" });
          }
        }),
    )
    .describe("IDs of two to four different models"),
  reasoningEffort: z
    .enum(EFFORT_CHOICES, { error: "Choose an effort from the list" })
    .optional()
    .describe("How much models that reason think; `default` leaves it to each"),
});
export type ComparisonInput = z.infer<typeof ComparisonInput>;

export const ComparisonSummary = z.object({
  id: z.string(),
  title: z.string().describe("Beginning of the prompt"),
  models: z.array(z.string()),
  running: z.boolean().describe("Whether any of its answers is still being written"),
  createdAt: z.iso.datetime(),
});
export type ComparisonSummary = z.infer<typeof ComparisonSummary>;

const ComparedAnswer = z.object({
  conversationId: z.string(),
  model: z.string(),
  lastEventId: z.number().int().describe("The last stream event that `answer` already shows"),
  answer: ChatMessage,
});
export type ComparedAnswer = z.infer<typeof ComparedAnswer>;

export const Comparison = z.object({
  id: z.string(),
  prompt: z.string(),
  createdAt: z.iso.datetime(),
  answers: z.array(ComparedAnswer).describe("One for each model, in the order they were named"),
});
export type Comparison = z.infer<typeof Comparison>;

export const Difference = z.object({
  conversationId: z.string().describe("Of the answer that differs"),
  changes: z
    .array(Change)
    .describe("In order: `both` and `base` together make the base's text, `both` and `text` this answer's"),
});
export type Difference = z.infer<typeof Difference>;

export const ContinueInput = z.object({ conversationId: z.string().max(100) });

export const ComparisonQuery = z.object({
  /** Conversation of the answer that the others are held against. */
  against: z.string().max(100).optional().catch(undefined),
});

export const ComparisonsQuery = z.object({
  cursor: CursorParam,
  dialog: z.literal("delete").optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
  /** Comparison whose prompt and models fill the form. */
  from: z.string().max(64).optional().catch(undefined),
});
