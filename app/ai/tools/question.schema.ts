import { z } from "zod";

const Values = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** One value that a tool asks for. `min` and `max` bound a number, the characters of a text, or how many are chosen. */
const QuestionField = z.object({
  name: z.string(),
  label: z.string(),
  hint: z.string().optional(),
  kind: z.enum(["text", "number", "integer", "boolean", "choice", "choices"]),
  format: z.enum(["email", "uri", "date", "date-time"]).optional(),
  pattern: z.string().optional().describe("A regular expression that a text must contain a match of"),
  required: z.boolean(),
  min: z.number().optional(),
  max: z.number().optional(),
  options: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  default: Values.optional(),
});
export type QuestionField = z.infer<typeof QuestionField>;

/** What a tool asks of the person during its call: values for fields, or to open a link. */
const AskedQuestion = z.object({
  asker: z.string().describe("Who asks, such as the title of an MCP server"),
  message: z.string(),
  fields: z.array(QuestionField).optional(),
  url: z.string().optional().describe("A link to open in place of fields"),
});
export type AskedQuestion = z.infer<typeof AskedQuestion>;

const AnswerContent = z.record(z.string(), Values);
export type AnswerContent = z.infer<typeof AnswerContent>;

const QUESTION_OUTCOMES = ["accepted", "declined", "cancelled", "expired", "withdrawn"] as const;
export type QuestionOutcome = (typeof QUESTION_OUTCOMES)[number];

export const QuestionEnd = z.object({
  outcome: z
    .enum(QUESTION_OUTCOMES)
    .describe("`expired`: nobody answered in time; `withdrawn`: the call ended first"),
  content: AnswerContent.optional().describe("The values that were sent"),
});
export type QuestionEnd = z.infer<typeof QuestionEnd>;

export const Question = AskedQuestion.extend({
  id: z.string(),
  end: QuestionEnd.optional().describe("Absent while it waits for an answer"),
});
export type Question = z.infer<typeof Question>;

/** Body of `POST /api/ai/chat/{conversation}/answers`. */
export const QuestionAnswer = z.object({
  questionId: z.string().min(1).max(100),
  action: z
    .enum(["accept", "decline", "cancel"], { error: "Choose accept, decline or cancel" })
    .describe("`accept` sends the values, or says that the link was opened"),
  content: z.record(z.string(), z.unknown()).optional().describe("Values by the names of the fields"),
});
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;
