import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { childOf, createdAt, id, updatedAt } from "./columns";

export const organisations = sqliteTable("organisations", {
  id: id(),
  name: text("name").notNull(),
  createdAt: createdAt(),
});

export const orgId = () =>
  text("org_id")
    .notNull()
    .references(() => organisations.id);

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
     * `waiting` for approval after an OAuth sign-up; `invited` hasn't opened the link; `suspended` can't
     * sign in and keeps everything.
     */
    status: text("status", { enum: ["active", "waiting", "invited", "suspended", "removed"] }).notNull(),
    /** argon2id in PHC form; null for OAuth-only users. */
    passwordHash: text("password_hash"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("users_org").on(table.orgId, table.createdAt),
    index("users_email").on(table.email),
    // Unique for password accounts only: an OAuth provider's address proves nothing here.
    uniqueIndex("users_password_email").on(table.orgId, table.email).where(sql`password_hash is not null`),
  ],
);

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
    groupId: childOf("group_id", () => groups.id),
    userId: childOf("user_id", () => users.id),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.userId] }),
    index("group_members_user").on(table.userId),
  ],
);

/** An OAuth identity is (issuer, subject), never an email address. */
export const identities = sqliteTable(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    userId: childOf("user_id", () => users.id),
    /** How this identity got its access: by an admin, by one of the operator's rules, or by one that no longer matches. */
    admission: text("admission", { enum: ["manual", "rule", "lapsed"] })
      .notNull()
      .default("manual"),
    /** The role that OAUTH_ROLE_MAP gave at the last sign-in; null if no group was mapped. */
    mappedRole: text("mapped_role", { enum: ["viewer", "member", "admin", "owner"] }),
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
    secretHash: text("secret_hash").notNull(),
    userId: childOf("user_id", () => users.id),
    model: text("model"),
    idToken: text("id_token"),
    userAgent: text("user_agent"),
    address: text("address"),
    createdAt: createdAt(),
    lastSeenAt: integer("last_seen_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** Whether it began with more than a password: a code, a passkey or the OAuth provider. */
    isTwoFactor: integer("is_two_factor", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [uniqueIndex("sessions_secret").on(table.secretHash), index("sessions_user").on(table.userId)],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    id: id(),
    userId: childOf("user_id", () => users.id),
    name: text("name").notNull(),
    credentialId: text("credential_id").notNull(),
    /** COSE key in base64url. */
    publicKey: text("public_key").notNull(),
    counter: integer("counter").notNull(),
    transports: text("transports", { mode: "json" }).notNull().$type<string[]>(),
    createdAt: createdAt(),
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [
    uniqueIndex("passkeys_credential").on(table.credentialId),
    index("passkeys_user").on(table.userId),
  ],
);

/** A confirmed authenticator app. */
export const authenticators = sqliteTable("authenticators", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  sealedSecret: text("sealed_secret").notNull(),
  /** Time step of the last accepted code: neither it nor an earlier one is accepted again. */
  lastStep: integer("last_step").notNull(),
  createdAt: createdAt(),
});

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    userId: childOf("user_id", () => users.id),
    codeHash: text("code_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

export const signInFailures = sqliteTable("sign_in_failures", {
  subject: text("subject").primaryKey(),
  failures: integer("failures").notNull(),
  windowStart: integer("window_start").notNull(),
});

export const invitations = sqliteTable("invitations", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  secretHash: text("secret_hash").notNull().unique(),
  createdAt: createdAt(),
  expiresAt: integer("expires_at").notNull(),
  invitedBy: text("invited_by"),
});

export const knownAddresses = sqliteTable(
  "known_addresses",
  {
    userId: childOf("user_id", () => users.id),
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
    userId: childOf("user_id", () => users.id),
    name: text("name").notNull(),
    secretHash: text("secret_hash").notNull(),
    prefix: text("prefix").notNull(),
    role: text("role", { enum: ["viewer", "member", "admin", "owner"] }).notNull(),
    scopes: text("scopes", { mode: "json" }).notNull().$type<string[]>(),
    createdAt: createdAt(),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    models: text("models", { mode: "json" }).$type<string[]>(),
    /** Gateway calls per minute; null for the general limit. */
    requestsPerMinute: integer("requests_per_minute"),
    /** Null for those of the organization alone. */
    guardrails: text("guardrails", { mode: "json" }).$type<{
      maskPii: boolean;
      blocked: string;
      moderate: boolean;
    }>(),
  },
  (table) => [
    uniqueIndex("api_tokens_secret").on(table.secretHash),
    index("api_tokens_user").on(table.userId),
  ],
);

/** The audit trail: each row's HMAC covers the row and the previous HMAC. */
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
    /** Version of the MAC's format: 2 includes the columns below. */
    version: integer("version").notNull().default(1),
    actorKind: text("actor_kind"),
    address: text("address"),
    before: text("before", { mode: "json" }).$type<Record<string, unknown>>(),
    after: text("after", { mode: "json" }).$type<Record<string, unknown>>(),
  },
  (table) => [
    uniqueIndex("audit_entries_id").on(table.id),
    index("audit_entries_org").on(table.orgId, table.createdAt),
    index("audit_entries_user").on(table.orgId, table.userId, table.createdAt),
    // drizzle-kit splits the expression at its commas, so its migration was written by hand.
    index("audit_entries_kind").on(
      table.orgId,
      sql`substr("action", 1, instr("action", '.') - 1)`,
      table.createdAt,
    ),
    index("audit_entries_resource").on(table.orgId, table.resource, table.createdAt),
  ],
);

/** Sealed ranges of the audit trail; the chain can continue from a dropped one. */
export const auditCheckpoints = sqliteTable("audit_checkpoints", {
  upToSeq: integer("up_to_seq").primaryKey(),
  mac: text("mac").notNull(),
  count: integer("count").notNull(),
  createdAt: createdAt(),
  droppedAt: integer("dropped_at"),
  signature: text("signature").notNull(),
});

/** Where an organization's entries are sent, up to which one they were, and what failed since. */
/** How often a console began to write this database; `audit.head` repeats it. One row. */
export const auditStarts = sqliteTable("audit_starts", {
  id: integer("id").primaryKey(),
  count: integer("count").notNull(),
});

export const auditStreams = sqliteTable("audit_streams", {
  orgId: orgId().primaryKey(),
  settings: text("settings", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
  /** Counts changes of the settings, so that a batch on its way to the collector before doesn't count. */
  version: integer("version").notNull(),
  position: integer("position").notNull(),
  succeededAt: integer("succeeded_at"),
  failedAt: integer("failed_at"),
  error: text("error"),
  failures: integer("failures").notNull().default(0),
  nextAttemptAt: integer("next_attempt_at").notNull().default(0),
});

export const userSettings = sqliteTable("user_settings", {
  userId: text("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  preferredModel: text("preferred_model"),
  theme: text("theme", { enum: ["dark", "light", "auto"] }),
  /** Whether Enter sends a message; null for the default. */
  enterSends: integer("enter_sends", { mode: "boolean" }),
  /** Where a sign-in leads; null for the role's default. */
  startPage: text("start_page", { enum: ["dashboard", "chat"] }),
  /** Whether chats use what is remembered about the person. */
  memory: integer("memory", { mode: "boolean" }),
  firstStepsHidden: integer("first_steps_hidden", { mode: "boolean" }),
  /** Chosen channels by event; other events follow their default. */
  notificationChannels: text("notification_channels", { mode: "json" }).$type<Record<string, string[]>>(),
  updatedAt: updatedAt(),
});

export const orgSettings = sqliteTable(
  "org_settings",
  {
    orgId: orgId(),
    key: text("key").notNull(),
    value: text("value", { mode: "json" }).notNull().$type<Record<string, unknown>>(),
    /** Incremented on each save, to detect stale forms. */
    version: integer("version").notNull().default(1),
    /** Version in which each field was last changed. */
    fieldVersions: text("field_versions", { mode: "json" })
      .notNull()
      .default({})
      .$type<Record<string, number>>(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.key] })],
);
