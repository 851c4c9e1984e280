import { z } from "zod";

/** What extraction found out about a document. */
export const Facts = z.object({
  format: z.string().catch("").default(""),
  pages: z.number().optional().catch(undefined),
  sheets: z.array(z.string()).optional().catch(undefined).describe("Names of a workbook's sheets"),
  author: z.string().optional().catch(undefined),
  language: z.string().optional().catch(undefined),
  created: z.string().optional().catch(undefined).describe("Creation date from the document itself"),
  notes: z.array(z.string()).optional().catch(undefined).describe("Notes for people"),
});
export type Facts = z.infer<typeof Facts>;
