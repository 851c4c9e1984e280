import { desc, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id } from "./columns";

/** The durable queue of background work. `scheduled` waits for its time, `waiting` for someone's decision. */
export const jobs = sqliteTable(
  "jobs",
  {
    id: id(),
    /** Null for work of the installation, which has no organisation before its set-up. */
    orgId: text("org_id"),
    kind: text("kind").notNull(),
    /** Jobs of a lane share its slots, so that bulk work never holds up what a person waits for. */
    lane: text("lane", { enum: ["interactive", "bulk", "maintenance"] }).notNull(),
    /** Who shares the lane fairly: a user's id, or `system`. */
    owner: text("owner").notNull(),
    /** What it is about, such as `document:doc_…`. */
    subject: text("subject"),
    /** One unfinished job of a kind has this key. */
    dedupeKey: text("dedupe_key"),
    state: text("state", {
      enum: ["scheduled", "queued", "running", "waiting", "succeeded", "failed", "cancelled"],
    }).notNull(),
    priority: integer("priority").notNull().default(0),
    runAt: integer("run_at").notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** How often the process died while it ran, since its last checkpoint. */
    crashes: integer("crashes").notNull().default(0),
    input: text("input", { mode: "json" }).notNull().$type<unknown>(),
    checkpoint: text("checkpoint", { mode: "json" }).$type<unknown>(),
    /** `{ done, total, step? }` in the kind's own unit. */
    progress: text("progress", { mode: "json" }).$type<unknown>(),
    error: text("error"),
    /** Who asked for it: user, token, request (jobs.schema.ts, JobActor). */
    actor: text("actor", { mode: "json" }).notNull().$type<unknown>(),
    createdAt: createdAt(),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
    /** When a finished job is deleted. */
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

/** Work that is due again and again. The next due time and its job are one commit. */
export const schedules = sqliteTable(
  "schedules",
  {
    /** Such as `sessions.sweep`, or `workflow:wf_…:trg_…`. */
    key: text("key").primaryKey(),
    /** Null for work of the installation, which has no organisation before its set-up. */
    orgId: text("org_id"),
    kind: text("kind").notNull(),
    /** Five or six fields; null where `everyMs` counts. */
    cron: text("cron"),
    everyMs: integer("every_ms"),
    /** IANA name; null for the organisation's time zone as it is when the next time is computed. */
    timeZone: text("time_zone"),
    input: text("input", { mode: "json" }).notNull().$type<unknown>(),
    nextAt: integer("next_at"),
  },
  (table) => [index("schedules_next").on(table.nextAt).where(sql`next_at is not null`)],
);

/** Each due time once: its row is written with the job it became. */
export const scheduleFires = sqliteTable(
  "schedule_fires",
  {
    scheduleKey: text("schedule_key").notNull(),
    dueAt: integer("due_at").notNull(),
    /** `skipped` where the job of an earlier due time hadn't finished. */
    outcome: text("outcome", { enum: ["queued", "skipped"] }).notNull(),
    jobId: text("job_id"),
  },
  (table) => [primaryKey({ columns: [table.scheduleKey, table.dueAt] })],
);
