import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id } from "./columns";
import { orgId, users } from "./people";

export const notifications = sqliteTable(
  "notifications",
  {
    id: id(),
    orgId: orgId(),
    userId: childOf("user_id", () => users.id),
    event: text("event").notNull(),
    title: text("title").notNull(),
    body: text("body").notNull(),
    link: text("link").notNull(),
    permission: text("permission").notNull(),
    dedupeKey: text("dedupe_key").notNull(),
    createdAt: createdAt(),
    readAt: integer("read_at"),
  },
  (table) => [
    uniqueIndex("notifications_once").on(table.userId, table.event, table.dedupeKey),
    index("notifications_user").on(table.userId, table.createdAt),
  ],
);

/** External notifications: one row per event, channel and target. */
export const notificationDeliveries = sqliteTable(
  "notification_deliveries",
  {
    id: id(),
    orgId: orgId(),
    channel: text("channel", { enum: ["email", "slack", "webhook", "push"] }).notNull(),
    target: text("target").notNull(),
    userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    title: text("title").notNull(),
    body: text("body").notNull(),
    link: text("link").notNull(),
    permission: text("permission").notNull(),
    dedupeKey: text("dedupe_key").notNull(),
    /** `sending` is written before each attempt: after a crash its result is unknown. */
    state: text("state", { enum: ["queued", "sending", "sent", "failed", "skipped"] }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    error: text("error"),
    createdAt: createdAt(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    uniqueIndex("notification_deliveries_once").on(
      table.orgId,
      table.event,
      table.dedupeKey,
      table.channel,
      table.target,
    ),
    index("notification_deliveries_org").on(table.orgId, table.createdAt),
  ],
);

export const pushSubscriptions = sqliteTable(
  "push_subscriptions",
  {
    id: id(),
    userId: childOf("user_id", () => users.id),
    sessionId: text("session_id"),
    endpoint: text("endpoint").notNull(),
    /** Public key and authentication secret (RFC 8291), base64url. */
    p256dh: text("p256dh").notNull(),
    auth: text("auth").notNull(),
    userAgent: text("user_agent"),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("push_subscriptions_endpoint").on(table.endpoint),
    index("push_subscriptions_user").on(table.userId),
  ],
);
