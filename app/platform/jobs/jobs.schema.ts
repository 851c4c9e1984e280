import { z } from "zod";
import { ROLES } from "~/core/actor";

const JOB_STATES = ["scheduled", "queued", "running", "waiting", "succeeded", "failed", "cancelled"] as const;

export const JobProgress = z.object({
  done: z.number(),
  total: z.number(),
  step: z.string().optional(),
});
export type JobProgress = z.infer<typeof JobProgress>;

export const JobView = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string().describe("Name of the kind"),
  subject: z.string().nullable().describe("Subject, such as `document:doc_…`"),
  state: z.enum(JOB_STATES),
  attempts: z.number().int(),
  error: z.string().nullable(),
  progress: JobProgress.nullable(),
  runAt: z.string().describe("Due time, ISO 8601"),
  createdAt: z.string(),
  finishedAt: z.string().nullable(),
});
export type JobView = z.infer<typeof JobView>;

export const JobKindView = z.object({
  kind: z.string(),
  title: z.string(),
  waiting: z.number().int().describe("Scheduled, queued, or waiting for a decision"),
  running: z.number().int(),
  failed: z.number().int(),
  every: z
    .string()
    .nullable()
    .describe("Interval in seconds, or cron expression, of its schedule; null without one"),
});
export type JobKindView = z.infer<typeof JobKindView>;

export const JobQuery = z.object({
  state: z.enum(JOB_STATES).optional(),
  kind: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});
export type JobQuery = z.infer<typeof JobQuery>;

export const JobId = z.object({ id: z.string().min(1).max(64) });

/** The author when the job was queued. It runs with their current role, never a higher one. */
export const JobActor = z.object({
  kind: z.enum(["user", "token", "workflow", "system"]),
  userId: z.string(),
  role: z.enum(ROLES),
  tokenId: z.string().optional(),
  gateway: z
    .object({
      models: z.array(z.string()).readonly().nullable(),
      requestsPerMinute: z.number().nullable(),
      guardrails: z.object({ maskPii: z.boolean(), blocked: z.string(), moderate: z.boolean() }).nullish(),
    })
    .optional(),
  requestId: z.string().optional(),
  address: z.string().optional(),
  trace: z.object({ traceparent: z.string(), tracestate: z.string().optional() }).optional(),
});
export type JobActor = z.infer<typeof JobActor>;
