import { z } from "zod";
import { CursorParam } from "~/platform/catalogue/fields.schema";

const MAX_READERS = 200;
export const MAX_LINKS = 20;
const MAX_DAYS = 365;

const AUDIENCES = ["nobody", "members", "everyone"] as const;
export type Audience = (typeof AUDIENCES)[number];

const audience = z.enum(AUDIENCES, { error: "Choose who can read the conversation" });

export const ShareInput = z.object({
  audience: audience.describe(
    "Everyone in the organization, the named members and groups, or nobody. Readers see the conversation as it is at this moment",
  ),
  readers: z
    .array(z.string().max(64))
    .max(MAX_READERS, `Choose at most ${MAX_READERS} people and groups`)
    .default([])
    .describe("IDs of members and groups, with the audience `members`"),
});
export type ShareInput = z.infer<typeof ShareInput>;

export const LinkInput = z.object({
  expiresInDays: z
    .preprocess(
      (value) => (value === "" ? undefined : value),
      z.coerce
        .number()
        .int("Enter whole days")
        .min(1, "Enter at least 1 day")
        .max(MAX_DAYS, `Enter at most ${MAX_DAYS} days`)
        .optional(),
    )
    .describe("Days until it stops working. Leave out for a link that works until it is revoked"),
});
export type LinkInput = z.infer<typeof LinkInput>;

export const ShareLink = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastOpenedAt: z.iso.datetime().nullable(),
});
export type ShareLink = z.infer<typeof ShareLink>;

/** Seen by admins: whose link it is, and nothing of the conversation. */
export const OrganizationLink = ShareLink.extend({
  owner: z.object({ id: z.string(), name: z.string() }),
  opens: z.boolean().describe("Whether its owner may still share; the links of suspended members don't open"),
});
export type OrganizationLink = z.infer<typeof OrganizationLink>;

export const NewShareLink = ShareLink.extend({
  url: z.string().describe("Its address, returned only once"),
});
export type NewShareLink = z.infer<typeof NewShareLink>;

const ConversationReader = z.object({ id: z.string(), name: z.string(), kind: z.enum(["member", "group"]) });
export type ConversationReader = z.infer<typeof ConversationReader>;

export const Sharing = z.object({
  audience,
  readers: z.array(ConversationReader),
  sharedAt: z.iso.datetime().nullable(),
  newer: z.number().int().describe("Messages after the last one that readers see"),
  linksAllowed: z.boolean().describe("Whether an admin allows read-only links"),
  links: z.array(ShareLink),
});
export type Sharing = z.infer<typeof Sharing>;

const Person = z.object({ id: z.string(), name: z.string() });

export const SharedSummary = z.object({
  id: z.string(),
  title: z.string(),
  owner: Person,
  sharedAt: z.iso.datetime(),
});
export type SharedSummary = z.infer<typeof SharedSummary>;

const SharedMessageView = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  content: z.string().describe("Empty where it is omitted"),
  omitted: z.boolean().describe("It may quote documents that the reader can't see"),
  attachmentsOmitted: z.number().int(),
  model: z.string().nullable(),
  persona: z.string().nullable(),
  timestamp: z.iso.datetime(),
});

export const SharedConversation = SharedSummary.extend({
  total: z.number().int().describe("Messages in all"),
  messages: z.array(SharedMessageView),
});

export const SharedQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: CursorParam,
});

export const SharedPage = z.object({
  page: z.coerce.number().int().min(1).max(100_000).catch(1).default(1),
});
