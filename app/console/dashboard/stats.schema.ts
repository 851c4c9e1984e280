import { z } from "zod";

export const DashboardStats = z.object({
  tokensToday: z.number().int().describe("Since midnight in the organization's time zone"),
  spendToday: z.number().describe("US dollars since midnight; calls without a known price count as zero"),
  workflowsQueued: z.number().int().describe("Queued runs"),
  workflowsRunning: z.number().int().describe("Runs in progress"),
  workflowsWaiting: z.number().int().describe("Runs that wait, such as for an approval or until a time"),
  ragDocuments: z.number().int().describe("Documents visible to the caller"),
  providersOnline: z.number().int(),
});
export type DashboardStats = z.infer<typeof DashboardStats>;
