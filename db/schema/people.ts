import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, id, updatedAt } from "./columns";

export const organisations = sqliteTable("organisations", {
  id: id(),
  name: text("name").notNull(),
  createdAt: createdAt(),
});

export const orgId = () =>
  text("org_id")
    .notNull()
    .references(() => organisations.id);

/** One-time links that make the first owner. */
export const setupLinks = sqliteTable("setup_links", {
  secretHash: text("secret_hash").primaryKey(),
  createdAt: createdAt(),
});

export const users = sqliteTable(
  "users",
  {
    id: id(),
    orgId: orgId(),
    email: text("email").notNull(),
    firstName: text("first_name"),
    lastName: text("last_name"),
    profileImageUrl: text("profile_image_url"),
    role: text("role", { enum: ["viewer", "member", "admin", "owner"] }).notNull(),
    /**
     * `waiting` asked to join through OAuth and isn't admitted yet; `invited` hasn't opened the link yet; `suspended` can't
     * sign in for now and keeps everything.
     */
    status: text("status", { enum: ["active", "waiting", "invited", "suspended", "removed"] }).notNull(),
    /** argon2id in PHC form; null for people who only sign in through OAuth. */
    passwordHash: text("password_hash"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("users_org").on(table.orgId, table.createdAt),
    index("users_email").on(table.email),
    // A password belongs to one account only; OAuth accounts may share an address, which proves nothing there.
    uniqueIndex("users_password_email").on(table.orgId, table.email).where(sql`password_hash is not null`),
  ],
);

/** Named sets of members. */
export const groups = sqliteTable(
  "groups",
  {
    id: id(),
    orgId: orgId(),
    name: text("name").notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("groups_name").on(table.orgId, table.name)],
);

export const groupMembers = sqliteTable(
  "group_members",
  {
    groupId: text("group_id")
      .notNull()
      .references(() => groups.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.userId] }),
    index("group_members_user").on(table.userId),
  ],
);

/** An OAuth identity is (issuer, subject), never an e-mail address. */
export const identities = sqliteTable(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index("identities_user").on(table.userId),
  ],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: id(),
    /** Hash of the opaque value in the cookie. */
    secretHash: text("secret_hash").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The model chosen for this browser session. */
    model: text("model"),
    /** Kept for the provider's end_session. */
    idToken: text("id_token"),
    userAgent: text("user_agent"),
    address: text("address"),
    createdAt: createdAt(),
    lastSeenAt: integer("last_seen_at").notNull(),
    /** The absolute end, even if active. */
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [uniqueIndex("sessions_secret").on(table.secretHash), index("sessions_user").on(table.userId)],
);

/** Failed sign-ins by account and by address, for the limit on tries. */
export const signInFailures = sqliteTable("sign_in_failures", {
  subject: text("subject").primaryKey(),
  failures: integer("failures").notNull(),
  windowStart: integer("window_start").notNull(),
});

/** One-time links that let a named person in: they choose a password or bring their OAuth identity. */
export const invitations = sqliteTable("invitations", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  secretHash: text("secret_hash").notNull().unique(),
  createdAt: createdAt(),
  expiresAt: integer("expires_at").notNull(),
  /** Who made the link; unknown for older ones. */
  invitedBy: text("invited_by"),
});

/** Addresses an account has signed in from: strangers' tries never shut these out. */
export const knownAddresses = sqliteTable(
  "known_addresses",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    addressHash: text("address_hash").notNull(),
    lastAt: integer("last_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.addressHash] })],
);

export const apiTokens = sqliteTable(
  "api_tokens",
  {
    id: id(),
    orgId: orgId(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    secretHash: text("secret_hash").notNull(),
    /** The first characters, so that a person recognises it. */
    prefix: text("prefix").notNull(),
    role: text("role", { enum: ["viewer", "member", "admin", "owner"] }).notNull(),
    scopes: text("scopes", { mode: "json" }).notNull().$type<string[]>(),
    createdAt: createdAt(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    /** Models it can call through the gateway; null for all. */
    models: text("models", { mode: "json" }).$type<string[]>(),
    /** Calls to the gateway in any 60 seconds; null for no limit of its own. */
    requestsPerMinute: integer("requests_per_minute"),
  },
  (table) => [
    uniqueIndex("api_tokens_secret").on(table.secretHash),
    index("api_tokens_user").on(table.userId),
  ],
);

/** The audit trail: each row's HMAC covers the row and the row before it. Rows are appended, and dropped up to a checkpoint. */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    id: text("id").notNull(),
    orgId: text("org_id").notNull(),
    userId: text("user_id").notNull(),
    action: text("action").notNull(),
    resource: text("resource").notNull(),
    details: text("details", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    requestId: text("request_id"),
    createdAt: createdAt(),
    mac: text("mac").notNull(),
    /** The form that the MAC covers: 1 is without the columns below, 2 with them. */
    version: integer("version").notNull().default(1),
    actorKind: text("actor_kind"),
    /** The client's network address. */
    address: text("address"),
    /** The changed fields alone, without secrets and personal texts. */
    before: text("before", { mode: "json" }).$type<Record<string, unknown>>(),
    after: text("after", { mode: "json" }).$type<Record<string, unknown>>(),
  },
  (table) => [
    uniqueIndex("audit_entries_id").on(table.id),
    index("audit_entries_org").on(table.orgId, table.createdAt),
    index("audit_entries_user").on(table.orgId, table.userId, table.createdAt),
    // drizzle-kit splits the expression at its commas: its migration was written by hand.
    index("audit_entries_kind").on(
      table.orgId,
      sql`substr("action", 1, instr("action", '.') - 1)`,
      table.createdAt,
    ),
    index("audit_entries_resource").on(table.orgId, table.resource, table.createdAt),
  ],
);

/** Sealed ranges of the audit trail: from a dropped one the chain continues where the entries before it are gone. */
export const auditCheckpoints = sqliteTable("audit_checkpoints", {
  upToSeq: integer("up_to_seq").primaryKey(),
  /** The MAC of the entry at that position. */
  mac: text("mac").notNull(),
  /** Entries since the checkpoint before. */
  count: integer("count").notNull(),
  createdAt: createdAt(),
  droppedAt: integer("dropped_at"),
  /** Over all of the above, by the chain's key. */
  signature: text("signature").notNull(),
});

/** What belongs to one person. */
export const userSettings = sqliteTable("user_settings", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  preferredModel: text("preferred_model"),
  theme: text("theme", { enum: ["dark", "light", "auto"] }),
  /** Whether Enter sends a chat message; null follows the default. */
  enterSends: integer("enter_sends", { mode: "boolean" }),
  /** Whether the person dismissed the checklist of first steps. */
  firstStepsHidden: integer("first_steps_hidden", { mode: "boolean" }),
  /** The channels of each event that the person chose; an event that isn't in it follows its default. */
  notificationChannels: text("notification_channels", { mode: "json" }).$type<Record<string, string[]>>(),
  updatedAt: updatedAt(),
});

/** What belongs to the organisation: a row per group of settings (`rag`, `ai`, `branding`…) and per record. */
export const orgSettings = sqliteTable(
  "org_settings",
  {
    orgId: orgId(),
    key: text("key").notNull(),
    value: text("value", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    /** Counts saves, so that a form opened before the last one is recognised as stale. */
    version: integer("version").notNull().default(1),
    /** The version at which each field was last changed. */
    fieldVersions: text("field_versions", { mode: "json" })
      .notNull()
      .default({})
      .$type<Record<string, number>>(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.key] })],
);
