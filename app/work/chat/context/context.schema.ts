import { z } from "zod";

const SUMMARY_LIMIT = 20_000;

/** What models are sent in place of a conversation's older messages. */
export const ContextSummary = z.object({
  messageId: z.string().describe("The last message that it stands for"),
  text: z.string(),
  model: z.string().describe("The model that wrote it"),
  tokens: z.number().int().describe("Estimated tokens of the messages that it stands for"),
  edited: z.boolean().describe("Whether you changed it"),
});
export type ContextSummary = z.infer<typeof ContextSummary>;

export const SummaryEdit = z.object({
  text: z
    .string()
    .trim()
    .min(1, "Enter a summary, or undo it")
    .max(SUMMARY_LIMIT, `Use at most ${SUMMARY_LIMIT.toLocaleString("en-US")} characters`),
});
export type SummaryEdit = z.infer<typeof SummaryEdit>;
