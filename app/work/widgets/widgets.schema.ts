import { z } from "zod";
import { CursorParam, listOrLines, nameField } from "~/platform/catalogue/fields.schema";
import { PERIODS } from "~/team/budgets/budgets.shared";
import { WIDGET_DEFAULTS, WIDGET_LIMITS } from "./widgets.shared";

const MAX_ORIGINS = 50;
const MAX_STARTERS = 6;
const MAX_TOOLS = 20;
/** Above the longest message, in characters. */
const MAX_QUESTION = 20_000;

const HOST = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$|^\[[\da-f:.]+\]$/;

/** What `frame-ancestors` takes, and nothing that it would read as more than one. */
const Origin = z
  .string()
  .max(300)
  .transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isOrigin = url && /^https?:$/.test(url.protocol) && HOST.test(url.hostname);
    if (isOrigin && url.pathname === "/" && !url.search && !url.hash && !url.username && !url.password)
      return url.origin;
    context.addIssue({
      code: "custom",
      message: `Enter origins such as https://www.example.com: ${text.slice(0, 60)}`,
    });
    return z.NEVER;
  });

const count = (name: keyof typeof WIDGET_LIMITS) => {
  const [from, to] = WIDGET_LIMITS[name];
  return z.int("Enter a whole number").min(from, `Enter ${from} to ${to}`).max(to, `Enter ${from} to ${to}`);
};

/** What is stored as JSON. */
const settings = {
  greeting: z
    .string({ error: "Enter a greeting" })
    .trim()
    .min(1, "Enter a greeting")
    .max(500, "Use at most 500 characters")
    .describe("What visitors read first"),
  starters: listOrLines(
    z
      .array(z.string().trim().min(1).max(120, "Use at most 120 characters in a question"))
      .max(MAX_STARTERS, `Enter at most ${MAX_STARTERS} questions`),
  ).describe("Questions that a visitor can ask by one click"),
  color: z
    .string()
    .toLowerCase()
    .regex(/^(#[\da-f]{6})?$/, "Enter a color such as #1d4ed8")
    .describe("Of buttons and the visitor's messages; empty for the brand's primary color"),
  origins: listOrLines(z.array(Origin).max(MAX_ORIGINS, `Enter at most ${MAX_ORIGINS} origins`)).describe(
    "Sites that may show the widget in a frame, such as `https://www.example.com`",
  ),
  tools: z
    .array(z.string().max(200))
    .max(MAX_TOOLS, `Choose at most ${MAX_TOOLS} tools`)
    .describe("Tools that only read and need no approval"),
  documents: z
    .string()
    .regex(/^(none|all|cat_\w{1,60})$/, "Choose which documents it may search")
    .describe("`none`, `all` that everyone in the organization sees, or the ID of a category"),
  perVisitor: count("perVisitor").describe("Messages of a visitor an hour"),
  perNetwork: count("perNetwork").describe("Messages from one network address an hour"),
  maxLength: count("maxLength").describe("Characters of a message"),
  maxQuestions: count("maxQuestions").describe("Messages of a visitor in one conversation"),
  retentionDays: count("retentionDays").describe("Days after its last message that a conversation is kept"),
};

export const WidgetSettings = z.object(settings);
export type WidgetSettings = z.infer<typeof WidgetSettings>;

const fields = {
  name: nameField("Enter a name").describe("Shown as the chat's title"),
  persona: z.string().max(64).describe("ID of a persona that everyone sees; empty for none"),
  model: z.string().max(200).describe("Empty for the persona's, or that of new chats"),
  expiresOn: z
    .union([z.iso.date("Enter a date"), z.literal("")])
    .describe("Last day on which it answers; empty for no end"),
  ...settings,
};

const defaults = {
  persona: fields.persona.default(""),
  model: fields.model.default(""),
  expiresOn: fields.expiresOn.default(""),
  starters: fields.starters.default([]),
  color: fields.color.default(""),
  origins: fields.origins.default([]),
  tools: fields.tools.default([]),
  documents: fields.documents.default(WIDGET_DEFAULTS.documents),
  perVisitor: fields.perVisitor.default(WIDGET_DEFAULTS.perVisitor),
  perNetwork: fields.perNetwork.default(WIDGET_DEFAULTS.perNetwork),
  maxLength: fields.maxLength.default(WIDGET_DEFAULTS.maxLength),
  maxQuestions: fields.maxQuestions.default(WIDGET_DEFAULTS.maxQuestions),
  retentionDays: fields.retentionDays.default(WIDGET_DEFAULTS.retentionDays),
};

/** All that a form holds; what it leaves blank isn't sent. */
const WidgetForm = z.object({ ...fields, ...defaults });
export type WidgetFields = z.infer<typeof WidgetForm>;

export const WidgetInput = WidgetForm.extend({
  budget: z
    .number("Enter an amount")
    .min(0, "Enter 0 or more")
    .max(1_000_000, "Enter a smaller amount")
    .default(WIDGET_DEFAULTS.budget)
    .describe("US dollars a period. It is a budget like others and is changed there"),
  budgetPeriod: z.enum(PERIODS).default(WIDGET_DEFAULTS.budgetPeriod),
});
export type WidgetInput = z.infer<typeof WidgetInput>;

export const WidgetPatch = z.object({ ...fields, enabled: z.boolean() }).partial();
export type WidgetPatch = z.infer<typeof WidgetPatch>;

const updatedAt = z.iso.datetime().optional();

export const WidgetUpdate = WidgetPatch.extend({
  updatedAt: updatedAt.describe("The version that was read; 409 if it changed since"),
});
export const WidgetUpdateForm = WidgetForm.extend({ updatedAt });

export const Widget = z.object({
  id: z.string(),
  ...fields,
  path: z
    .string()
    .describe("Its own page, `/w/` and its public token. `data-widget` in the snippet takes the token"),
  token: z.string(),
  enabled: z.boolean(),
  state: z.enum(["open", "off", "ended"]),
  problem: z.string().nullable().describe("Why it can't answer, such as a persona that is gone"),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Widget = z.infer<typeof Widget>;

export const WidgetId = z.object({ id: z.string().min(1).max(64) });
export const WidgetConversationId = WidgetId.extend({ conversation: z.string().min(1).max(64) });

export const WidgetQuery = z.object({
  dialog: z.enum(["new", "edit", "delete", "delete-conversation"]).optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
  conversation: z.string().max(64).optional().catch(undefined),
  cursor: CursorParam.catch(undefined),
});

export const WidgetListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: CursorParam,
});

export const VisitorConversation = z.object({
  id: z.string(),
  firstMessage: z.string().describe("Up to 200 characters"),
  questions: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type VisitorConversation = z.infer<typeof VisitorConversation>;

export const VisitorMessage = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  content: z.string().describe("Markdown; a citation is its number in brackets"),
  // Documents, without their addresses in the console.
  sources: z.array(z.object({ title: z.string(), location: z.string() })),
  status: z.enum(["complete", "stopped", "failed"]),
  timestamp: z.iso.datetime(),
});
export type VisitorMessage = z.infer<typeof VisitorMessage>;

/** What the form of a widget's page sends; keys that aren't any are those of a new visitor. */
export const VisitorQuestion = z.object({
  message: z
    .string()
    .transform((text) => text.slice(0, MAX_QUESTION))
    .optional(),
  visitor: z
    .string()
    .regex(/^[\w-]{43}$/)
    .optional()
    .catch(undefined),
  conversation: z.string().max(64).optional().catch(undefined),
});
export type VisitorQuestion = z.infer<typeof VisitorQuestion>;

export const PublicToken = z.object({ token: z.string().max(100) });
