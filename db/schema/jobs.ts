import { desc, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id } from "./columns";

/** The durable job queue. `scheduled` waits for its time, `waiting` for a decision. */
export const jobs = sqliteTable(
  "jobs",
  {
    id: id(),
    orgId: text("org_id"),
    kind: text("kind").notNull(),
    /** Jobs of a lane share worker slots, so that bulk work doesn't block interactive work. */
    lane: text("lane", { enum: ["interactive", "bulk", "maintenance"] }).notNull(),
    owner: text("owner").notNull(),
    subject: text("subject"),
    /** Unique among unfinished jobs of a kind. */
    dedupeKey: text("dedupe_key"),
    state: text("state", {
      enum: ["scheduled", "queued", "running", "waiting", "succeeded", "failed", "cancelled"],
    }).notNull(),
    priority: integer("priority").notNull().default(0),
    runAt: integer("run_at").notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** Crashes while it ran, since its last checkpoint. */
    crashes: integer("crashes").notNull().default(0),
    input: text("input", { mode: "json" }).notNull().$type<unknown>(),
    checkpoint: text("checkpoint", { mode: "json" }).$type<unknown>(),
    progress: text("progress", { mode: "json" }).$type<unknown>(),
    error: text("error"),
    actor: text("actor", { mode: "json" }).notNull().$type<unknown>(),
    createdAt: createdAt(),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
    keepUntil: integer("keep_until"),
  },
  (table) => [
    index("jobs_due").on(table.runAt).where(sql`state = 'scheduled'`),
    index("jobs_next")
      .on(table.lane, table.owner, table.kind, desc(table.priority), table.runAt)
      .where(sql`state = 'queued'`),
    index("jobs_running").on(table.lane).where(sql`state = 'running'`),
    uniqueIndex("jobs_dedupe")
      .on(table.kind, table.dedupeKey)
      .where(sql`dedupe_key is not null and state in ('scheduled', 'queued', 'running', 'waiting')`),
    index("jobs_subject").on(table.subject).where(sql`subject is not null`),
    index("jobs_kind").on(table.kind, table.state, table.createdAt, table.orgId),
    index("jobs_kept").on(table.keepUntil).where(sql`keep_until is not null`),
  ],
);

/** Recurring jobs. The next due time and its job are one commit. */
export const schedules = sqliteTable(
  "schedules",
  {
    key: text("key").primaryKey(),
    orgId: text("org_id"),
    kind: text("kind").notNull(),
    cron: text("cron"),
    everyMs: integer("every_ms"),
    /** IANA name; null for the organization's time zone. */
    timeZone: text("time_zone"),
    input: text("input", { mode: "json" }).notNull().$type<unknown>(),
    nextAt: integer("next_at"),
  },
  (table) => [index("schedules_next").on(table.nextAt).where(sql`next_at is not null`)],
);

/** One row per due time, committed with its job. */
export const scheduleFires = sqliteTable(
  "schedule_fires",
  {
    scheduleKey: text("schedule_key").notNull(),
    dueAt: integer("due_at").notNull(),
    /** `skipped` if the previous job was still running. */
    outcome: text("outcome", { enum: ["queued", "skipped"] }).notNull(),
    jobId: text("job_id"),
  },
  (table) => [primaryKey({ columns: [table.scheduleKey, table.dueAt] })],
);
