import { z } from "zod";

const DECISIONS = ["approve", "approve-for-conversation", "refuse"] as const;
/** Characters of a changed input's JSON, and of a refusal's reason. */
const INPUT_LIMIT = 100_000;
const REASON_LIMIT = 1000;

const decision = z
  .enum(DECISIONS, { error: "Choose approve, approve-for-conversation or refuse" })
  .describe("`approve-for-conversation` also approves later calls of the tool in the conversation");
const toolCallId = z.string().min(1).max(500);
const reason = z
  .string()
  .trim()
  .max(REASON_LIMIT, `Use at most ${REASON_LIMIT.toLocaleString("en-US")} characters`)
  .optional()
  .describe("Reason of a refusal, for the model");

/** The body of `POST /api/ai/chat/{conversation}/approvals`. */
export const DecisionInput = z.object({
  toolCallId,
  decision,
  input: z.record(z.string(), z.unknown()).optional().describe("Replaces the call's arguments"),
  reason,
});
export type DecisionInput = z.infer<typeof DecisionInput>;

const NOT_JSON = 'Enter a JSON object, such as {"key": "value"}';

/** The form under a call; its arguments as JSON. */
export const DecisionForm = z.object({
  toolCallId,
  decision,
  input: z
    .string()
    .max(INPUT_LIMIT, `Use at most ${INPUT_LIMIT.toLocaleString("en-US")} characters`)
    .optional(),
  reason,
});

export { NOT_JSON };

export const WithdrawForm = z.object({ tool: z.string().min(1).max(300) });
