import { z } from "zod";
import { sensitive } from "~/platform/audit/audit.schema";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import { MAX_VARIABLES, variablesOf } from "./prompt-variables.shared";

const NAME_MAX = 100;
const TEXT_MAX = 20_000;

const fields = {
  name: z
    .string({ error: "Enter a name" })
    .trim()
    .min(1, "Enter a name")
    .max(NAME_MAX, `Use at most ${NAME_MAX} characters`)
    .regex(/^\P{Cc}*$/u, "Remove line breaks and control characters"),
  text: z
    .string({ error: "Enter a prompt" })
    .max(TEXT_MAX, `Use at most ${TEXT_MAX.toLocaleString("en-US")} characters`)
    .refine((text) => text.trim() !== "", "Enter a prompt")
    .refine((text) => variablesOf(text).length <= MAX_VARIABLES, `Use at most ${MAX_VARIABLES} variables`)
    .describe("With variables such as {{name}} or {{name=default}}")
    .register(sensitive, { kind: "personal" }),
  shared: z.boolean().describe("Whether everyone in the organization can use it"),
};

export const ContributedPrompt = z.strictObject({
  id: z
    .string()
    .max(30)
    .regex(/^[a-z][a-z0-9-]*$/, "Use lower-case letters, digits and hyphens"),
  name: fields.name,
  text: fields.text,
});
export type ContributedPrompt = z.infer<typeof ContributedPrompt>;

export const PromptInput = z.object({ ...fields, shared: fields.shared.default(false) });
export type PromptInput = z.infer<typeof PromptInput>;

/** The version that was edited. */
const updatedAt = z.iso.datetime().optional();

/** Unchecked boxes aren't sent. */
export const PromptForm = z.object({
  ...fields,
  shared: z.literal("on").optional(),
  updatedAt,
});
export type PromptForm = z.infer<typeof PromptForm>;

export const PromptPatch = z.object(fields).partial();
export type PromptPatch = z.infer<typeof PromptPatch>;

export const PromptUpdate = PromptPatch.extend({
  updatedAt: updatedAt.describe("The version that was read; 409 if it changed since"),
});

export const Prompt = z.object({
  id: z.string(),
  name: z.string(),
  text: z.string(),
  variables: z.array(
    z.object({
      name: z.string(),
      fallback: z.string().describe("Its default; may be empty"),
      required: z.boolean().describe("Whether it has no default"),
    }),
  ),
  shared: z.boolean(),
  author: z.object({ id: z.string(), name: z.string() }).describe("A member, or the plugin that brings it"),
  canEdit: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Prompt = z.infer<typeof Prompt>;

export const PromptId = z.object({ id: z.string().min(1).max(64) });

const find = z.string().trim().max(100);

export const PromptQuery = z.object({
  find: find.default("").describe("Words in the name or the text"),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: CursorParam,
});
export type PromptQuery = z.infer<typeof PromptQuery>;

export const PromptScreenQuery = z.object({
  dialog: z.enum(["new", "edit", "delete", "use", "import"]).optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
  find: find.catch("").default(""),
  cursor: CursorParam,
});

/** In the prompt's order. */
export const PromptValues = z.object({
  values: z
    .preprocess(
      (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]),
      z.array(z.string().max(10_000, "Use at most 10,000 characters").catch("")).max(MAX_VARIABLES),
    )
    .default([]),
});

export const ServerPrompt = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  arguments: z.array(z.object({ name: z.string(), description: z.string(), required: z.boolean() })),
});

/** A prompt that an MCP server offers. */
export const OfferedPrompt = ServerPrompt.extend({
  server: z.string().describe("ID of its plugin"),
  serverTitle: z.string(),
});
export type OfferedPrompt = z.infer<typeof OfferedPrompt>;
