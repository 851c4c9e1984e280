import { z } from "zod";

export const ErrorReport = z.object({
  message: z.string().describe("Message in the log"),
  detail: z.string().nullable().describe("The error's own message"),
  stack: z.string().nullable(),
  requestId: z.string().nullable().describe("Request of the last occurrence"),
  count: z.number().int().describe("Number of occurrences"),
  firstAt: z.string(),
  lastAt: z.string(),
});
export type ErrorReport = z.infer<typeof ErrorReport>;
