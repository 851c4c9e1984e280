import { z } from "zod";
import type { ProviderStatus } from "~/ai/models/models.schema";
import type { UsageReport } from "~/team/usage/usage.schema";
import type { ChartLayout } from "~/ui/chart.shared";
import { ChatForm } from "~/work/chat/chat.schema";
import type { Document } from "~/work/documents/documents.schema";
import type { ActiveRun } from "~/work/workflows/runs.schema";

/** The AI Chat panel's form. `live` leads to the page that streams without script. */
export const QuestionForm = ChatForm.pick({ content: true, model: true }).extend({
  live: z.string().optional(),
});

export interface CurrentModel {
  id: string;
  name: string;
  /** Status of the first provider that offers it. */
  status: ProviderStatus["status"] | "built-in";
}

export interface ProviderCard extends Pick<ProviderStatus, "id" | "name" | "models" | "status" | "reason"> {
  /** Time to first token, or of the last health check; null before the first measurement. */
  latencyMs: number | null;
  /** Share of today's calls, 0 to 1; null without any. */
  share: number | null;
  /** Somebody turned it off, which is no failure. */
  isDisabled: boolean;
}

/** A part that failed to load is undefined. */
export interface Overview {
  usage:
    | {
        /** False until the first model call; samples are shown until then. */
        hasData: boolean;
        tokens: number;
        spend: number;
        /** Calls of today whose price is unknown. */
        unpriced: number;
        /** Against the same time yesterday, as a share; null without a figure. */
        change: { tokens: number | null; spend: number | null };
      }
    | undefined;
  model: CurrentModel | undefined;
  providers: { cards: ProviderCard[]; online: number } | undefined;
  documents:
    | { hasData: boolean; total: number; newest: Pick<Document, "id" | "name" | "status" | "createdAt">[] }
    | undefined;
  workflows:
    | { hasData: boolean; queued: number; running: number; waiting: number; runs: ActiveRun[] }
    | undefined;
}

/** Something that goes on once the person approves it. */
export interface Waiting {
  title: string;
  note: string;
  to: string;
  since: string;
}

/** As `Overview`; without data of their kind, plots are outlines. */
export interface Plots {
  usage:
    | {
        hasData: boolean;
        scope: UsageReport["scope"];
        totals: UsageReport["totals"];
        spend: ChartLayout;
        tokens: ChartLayout;
        errors: ChartLayout;
      }
    | undefined;
  runs: { hasData: boolean; chart: ChartLayout; total: number } | undefined;
  waiting: Waiting[] | undefined;
}

/** A step of the checklist for a new console. */
export interface FirstStep {
  id: "provider" | "chat" | "documents" | "workflow" | "invite";
  title: string;
  description: string;
  to: string;
  done: boolean;
}

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
