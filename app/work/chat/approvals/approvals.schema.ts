import { z } from "zod";
import { QuestionAnswer } from "~/ai/tools/question.schema";
import { type ControlName, controlName, MAX_FIELDS } from "~/ai/tools/question.shared";

// Decisions on calls, and answers to their questions.

/** Characters of a changed input's JSON, and of a refusal's reason. */
const INPUT_LIMIT = 100_000;
const REASON_LIMIT = 1000;

export const DecisionInput = z.object({
  toolCallId: z.string().min(1).max(500),
  decision: z
    .enum(["approve", "approve-for-conversation", "refuse"], {
      error: "Choose approve, approve-for-conversation or refuse",
    })
    .describe("`approve-for-conversation` also approves later calls of the tool in the conversation"),
  input: z.record(z.string(), z.unknown()).optional().describe("Replaces the call's arguments"),
  reason: z
    .string()
    .trim()
    .max(REASON_LIMIT, `Use at most ${REASON_LIMIT.toLocaleString("en-US")} characters`)
    .optional()
    .describe("Reason of a refusal, for the model"),
});
export type DecisionInput = z.infer<typeof DecisionInput>;

/** The form under a call; its arguments as JSON. */
export const DecisionForm = DecisionInput.extend({
  input: z
    .string()
    .max(INPUT_LIMIT, `Use at most ${INPUT_LIMIT.toLocaleString("en-US")} characters`)
    .optional(),
});

const control = z
  .union([z.string().max(INPUT_LIMIT), z.array(z.string().max(INPUT_LIMIT)).max(200)])
  .optional();

/** The form of a question; the texts of its controls get a type by the question's fields. */
export const AnswerForm = QuestionAnswer.omit({ content: true }).extend(
  Object.fromEntries(
    Array.from({ length: MAX_FIELDS }, (_, at) => [controlName(at), control] as const),
  ) as Record<ControlName, typeof control>,
);
/** By name. */
export type AnswerControls = Readonly<Record<string, z.infer<typeof control>>>;
export type AnswerForm = z.infer<typeof AnswerForm>;

export const WithdrawForm = z.object({ tool: z.string().min(1).max(300) });
