import { z } from "zod";
import { EFFECTS } from "~/ai/tools/effects.shared";
import { PLUGIN_CATEGORY_IDS } from "./categories.shared";
import { PLUGIN_STATUSES, PluginField, PluginRequests, PRICING } from "./manifest.schema";
import { ServerToolsQuery } from "./mcp/mcp.schema";

export const PluginId = z.object({ id: z.string().min(1).max(64) });
export const PluginIdParam = z.object({ pluginId: z.string().min(1).max(64) });

export const PluginCategory = z.object({
  id: z.string(),
  name: z.string(),
  icon: z.string(),
  description: z.string(),
});
const PluginTool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  effect: z.enum(EFFECTS),
});

export const Plugin = z.object({
  id: z.string(),
  title: z.string(),
  author: z.string(),
  icon: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  version: z.string(),
  released: z.iso.date(),
  downloads: z.number().int().describe("How often it was installed here"),
  rating: z.number().nullable().describe("Mean of the members' stars, 1 to 5; null if unrated"),
  ratings: z.number().int(),
  pricing: z.enum(PRICING),
  price: z.number().nullable(),
  purchaseUrl: z.string().nullable(),
  status: z.enum(PLUGIN_STATUSES),
  verified: z.boolean(),
  featured: z.boolean(),
  categories: z.array(z.string()),
  kind: z
    .enum(["bundled", "mcp", "listed"])
    .describe("Comes with the console, an MCP server, or sold elsewhere"),
  requests: PluginRequests,
  settings: z
    .array(z.object({ name: z.string(), label: z.string(), default: z.string() }))
    .describe("Settings that its requests name"),
  tools: z.array(PluginTool),
  brings: z
    .object({ prompts: z.array(z.string()), steps: z.array(z.string()), templates: z.array(z.string()) })
    .describe("Names of the prompts, steps and templates it adds while active"),
  listedBy: z.string().nullable().describe("Host of the catalog that lists it"),
  serverUrl: z.string().nullable().describe("The MCP server that installs a listed plugin"),
  installed: z.boolean(),
});
export type Plugin = z.infer<typeof Plugin>;

export const InstalledPlugin = z.object({
  id: z.string(),
  pluginId: z.string(),
  plugin: Plugin,
  installedAt: z.iso.datetime(),
  version: z.string().describe("The version whose permissions an admin accepted"),
  enabled: z.boolean(),
  agreedBy: z.string().describe("ID of the member who accepted its permissions"),
  pending: PluginRequests.nullable().describe("Permissions of the current version that weren't accepted"),
  update: z
    .string()
    .nullable()
    .describe("Newer version that the catalog lists; null where its tools were checked since"),
  problem: z.string().nullable().describe("Why its tools can't be used now"),
});
export type InstalledPlugin = z.infer<typeof InstalledPlugin>;

export const PluginConfig = z.object({
  fields: z.array(PluginField),
  values: z.record(z.string(), z.unknown()),
});
export type PluginConfig = z.infer<typeof PluginConfig>;

const SORTS = ["featured", "popular", "newest", "rated"] as const;
const flag = z.enum(["true", "false"]).transform((value) => value === "true");

export const PluginQuery = z.object({
  category: z.string().max(60).optional(),
  search: z.string().max(200).optional(),
  featured: flag.optional(),
});

/** Body of `PATCH /api/plugins/{pluginId}/config`. */
export const PluginConfigInput = z.strictObject({
  enabled: z.boolean().optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
});
export type PluginConfigInput = z.infer<typeof PluginConfigInput>;

export const RatingInput = z.object({
  stars: z.coerce
    .number({ error: "Choose 1 to 5 stars" })
    .int()
    .min(1, "Choose 1 to 5 stars")
    .max(5, "Choose 1 to 5 stars"),
});

/** The version shown in the dialog. */
export const InstallForm = z.object({ version: z.string().max(20) });

/** Parsed by the manifest. */
export const PluginSettingsForm = z.record(z.string().max(40), z.unknown());

export const PluginScreenQuery = z.object({
  tab: z.enum(["marketplace", "installed"]).default("marketplace").catch("marketplace"),
  search: z.string().trim().max(200).default("").catch(""),
  category: z.enum(PLUGIN_CATEGORY_IDS).optional().catch(undefined),
  price: z
    .enum(["all", ...PRICING])
    .default("all")
    .catch("all"),
  sort: z.enum(SORTS).default("featured").catch("featured"),
  dialog: z
    .enum(["details", "install", "configure", "uninstall", "tools", "add-server"])
    .optional()
    .catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
  ...ServerToolsQuery.shape,
});
export type PluginScreenQuery = z.infer<typeof PluginScreenQuery>;
