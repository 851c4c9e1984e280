import { z } from "zod";
import { EFFECTS } from "~/ai/tools/effects.shared";
import { ContributedPrompt } from "~/work/prompts/prompts.schema";
import { ContributedStep, ContributedTemplate } from "~/work/workflows/contributed/contributed.schema";
import { PLUGIN_CATEGORY_IDS } from "./categories.shared";
import { PLUGIN_ICONS } from "./icons.shared";

export const PRICING = ["free", "premium", "enterprise"] as const;
export const PLUGIN_STATUSES = ["active", "beta", "deprecated"] as const;

const SettingName = z.string().regex(/^[a-z][A-Za-z0-9]{0,39}$/, "Use a camelCase name");

/** A secret is only ever a `key`: a reference's id. */
export const PluginField = z.strictObject({
  name: SettingName,
  label: z.string().min(1).max(60),
  hint: z.string().max(200).default(""),
  required: z.boolean().default(false),
  requiredWith: z
    .strictObject({ setting: SettingName, values: z.array(z.string()).min(1).max(50) })
    .optional()
    .describe("Required while another setting has one of these values"),
  usedWith: z
    .strictObject({ setting: SettingName, values: z.array(z.string()).min(1).max(50) })
    .optional()
    .describe("Hidden in the form while another setting has another value"),
  control: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("switch"), default: z.boolean().default(false) }),
    z.strictObject({
      kind: z.literal("number"),
      min: z.number(),
      max: z.number(),
      step: z.number().positive().default(1),
      unit: z.string().max(20).optional(),
      default: z.number(),
    }),
    z.strictObject({
      kind: z.literal("select"),
      options: z.array(z.string().min(1).max(60)).min(1).max(50),
      default: z.string(),
    }),
    z.strictObject({
      kind: z.enum(["text", "textarea"]),
      maxLength: z.number().int().min(1).max(20_000).default(500),
      default: z.string().default(""),
    }),
    z.strictObject({ kind: z.literal("url"), default: z.string().default("") }),
    z.strictObject({ kind: z.literal("time-zone"), default: z.string().default("UTC") }),
    z
      .strictObject({ kind: z.literal("model") })
      .describe("A model of the console; blank for the default one"),
    z.strictObject({
      kind: z.literal("key"),
      of: z.enum(["other", "database"]).default("other").describe("Kind of the key reference"),
    }),
  ]),
});
export type PluginField = z.infer<typeof PluginField>;

export const PluginRequests = z.strictObject({
  hosts: z
    .array(
      z
        .string()
        .max(255)
        .regex(
          /^(?:\*|\{[a-z][A-Za-z0-9]*\}|(?:\*\.)?[a-z0-9.-]+(?::\d{1,5})?)$/,
          "Use a host, host:port, *.suffix, {setting} or *",
        ),
    )
    .max(50)
    .default([])
    .describe("Hosts it connects to: `*` is every public host, `{name}` the host of that setting"),
  keys: z.array(SettingName).max(10).default([]).describe("Settings that hold key references"),
  effects: z.array(z.enum(EFFECTS)).max(3).default([]).describe("What its tools do"),
});
export type PluginRequests = z.infer<typeof PluginRequests>;

const PluginBrings = z.strictObject({
  prompts: z.array(ContributedPrompt).max(20).default([]).describe("For the prompt library"),
  templates: z.array(ContributedTemplate).max(20).default([]).describe("Workflow templates"),
  steps: z
    .array(ContributedStep)
    .max(20)
    .default([])
    .describe("Workflow steps, each calling one of its tools"),
});

export const PluginId = z
  .string()
  .min(2)
  .max(40)
  .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, "Use lower-case words joined by hyphens");

/** `bundled.test.ts` checks that its parts agree. */
export const PluginManifest = z.strictObject({
  id: PluginId,
  title: z.string().trim().min(1).max(60),
  author: z.string().trim().min(1).max(60).default("Quarterdeck"),
  icon: z.enum(PLUGIN_ICONS).default("Plug"),
  description: z.string().trim().min(1).max(600),
  tags: z.array(z.string().min(1).max(30)).max(10).default([]),
  version: z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/, "Use a version such as 1.0.0"),
  released: z.iso.date(),
  pricing: z.enum(PRICING).default("free"),
  price: z.number().nonnegative().nullable().default(null).describe("Per month, in US dollars"),
  purchaseUrl: z
    .url({ protocol: /^https$/ })
    .optional()
    .describe("Where a paid plugin is sold"),
  status: z.enum(PLUGIN_STATUSES).default("active"),
  verified: z.boolean().default(false).describe("Ignored except for bundled plugins"),
  featured: z.boolean().default(false).describe("Ignored except for bundled plugins"),
  categories: z.array(z.enum(PLUGIN_CATEGORY_IDS)).min(1).max(3),
  settings: z.array(PluginField).max(30).default([]),
  brings: PluginBrings.optional(),
  requests: PluginRequests.prefault({}),
});
export type PluginManifest = z.infer<typeof PluginManifest>;
