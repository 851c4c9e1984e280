import { z } from "zod";

export const ErrorReport = z.object({
  message: z.string().describe("What the log says"),
  detail: z.string().nullable().describe("The error's own message"),
  stack: z.string().nullable(),
  requestId: z.string().nullable().describe("The request in which it occurred last"),
  count: z.number().int().describe("How often it occurred"),
  firstAt: z.string(),
  lastAt: z.string(),
});
export type ErrorReport = z.infer<typeof ErrorReport>;
