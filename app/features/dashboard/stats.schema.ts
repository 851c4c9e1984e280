import { z } from "zod";

export const DashboardStats = z.object({
  tokensToday: z.number().int().describe("Since midnight in the organization's time zone"),
  spendToday: z.number().describe("US dollars since midnight; calls without a known price count as zero"),
  workflowsQueued: z.number().int().describe("Runs that wait for their turn"),
  workflowsRunning: z.number().int().describe("Runs under way, also those that wait for a person"),
  ragDocuments: z.number().int().describe("Documents that the caller sees"),
  providersOnline: z.number().int(),
});
export type DashboardStats = z.infer<typeof DashboardStats>;
