import { z } from "zod";
import { CAPABILITIES, HUBS } from "./model-options.shared";
import { MODEL_KINDS, type Model, ModelCost, type ModelKind } from "./models.schema";

const Search = z.string().trim().max(200).default("").describe("Part of an id, a name or a maker");

const CATALOGUE_FILTERS = [
  "all",
  "callable",
  "recommended",
  "embedding",
  "rerank",
  "image",
  "audio",
  "hidden",
] as const;

export const CatalogueQuery = z.object({
  search: Search,
  filter: z.enum(CATALOGUE_FILTERS).default("all").catch("all"),
});
export type CatalogueQuery = z.infer<typeof CatalogueQuery>;

/** Invalid parameters are ignored. */
export const CatalogueView = CatalogueQuery.extend({
  maker: z.string().max(100).default("").catch(""),
  sort: z.enum(["name", "maker", "context", "input", "output"]).default("name").catch("name"),
  order: z.enum(["asc", "desc"]).default("asc").catch("asc"),
  page: z.coerce.number().int().min(1).max(10_000).default(1).catch(1),
});
export type CatalogueView = z.infer<typeof CatalogueView>;

/** Known models, with or without a provider. */
export const CatalogueModel = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(MODEL_KINDS),
  provider: z.string().describe("Maker or provider, such as openai or mistral"),
  maxTokens: z.number().int().describe("Context length in tokens; 4096 if unknown"),
  cost: ModelCost,
  priceSource: z
    .enum(["list", "provider", "admin", "local"])
    .nullable()
    .describe("Source of the price: the dated list, the provider's own, an admin, or local hardware"),
  pricesAt: z.iso.date().nullable().describe("Date of the price list; null for prices from elsewhere"),
  capabilities: z.array(z.enum(CAPABILITIES)),
  mcpCapabilities: z.array(z.string()),
  recommended: z.boolean(),
  enhanced: z.boolean().describe("Calls tools, so MCP tools work with it"),
  hidden: z.boolean().describe("Hidden from pickers; it can still be called by its id"),
  callable: z.boolean().describe("Whether a configured provider offers it"),
  providers: z.number().int().describe("Number of available providers"),
  description: z.string().optional(),
});
export type CatalogueModel = z.infer<typeof CatalogueModel>;

export const HubModel = z.object({
  id: z.string().min(1).max(200),
  name: z.string().max(200),
  description: z.string().max(500).optional(),
  maxTokens: z.number().int().positive(),
  cost: z.object({ input: z.number().min(0), output: z.number().min(0) }).optional(),
  capabilities: z.array(z.enum(CAPABILITIES)),
  downloads: z.number().int().min(0).optional(),
});
export type HubModel = z.infer<typeof HubModel>;

export const DiscoverInput = z.object({
  refresh: z.boolean().default(false).describe("Refresh lists even if less than an hour old"),
});
export type DiscoverInput = z.infer<typeof DiscoverInput>;

export const Discovery = z.object({
  hubs: z.array(
    z.object({
      hub: z.enum(HUBS),
      count: z.number().int().describe("Number of its available models"),
      failed: z.boolean().describe("Whether fallback models replace its list"),
      message: z.string().optional().describe("Error message, if it failed"),
      fetchedAt: z.iso.datetime(),
    }),
  ),
});
export type Discovery = z.infer<typeof Discovery>;

const CONFIGURED_FILTERS = ["all", ...HUBS, "custom"] as const;

export const ConfiguredQuery = z.object({
  search: Search,
  filter: z.enum(CONFIGURED_FILTERS).default("all").catch("all"),
});
export type ConfiguredQuery = z.infer<typeof ConfiguredQuery>;

export const ConfiguredModel = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string().describe("Type of its provider"),
  source: z.enum([...HUBS, "custom"]).describe("The hub it was found on, or custom"),
  maxTokens: z.number().int(),
  contextLength: z.number().int().optional(),
  cost: ModelCost,
  capabilities: z.array(z.enum(CAPABILITIES)),
  recommended: z.boolean(),
  enhanced: z.boolean(),
  added: z.boolean().describe("Whether the organization offers it"),
  hidden: z.boolean().describe("Hidden from pickers; it can still be called by its id"),
  callable: z.boolean().describe("Whether a configured provider offers it"),
  fallback: z.boolean().describe("Fallback for a hub that couldn't be reached"),
  downloads: z.number().int().nullable().describe("As reported by the hub; null if unknown"),
  description: z.string().optional(),
});
export type ConfiguredModel = z.infer<typeof ConfiguredModel>;

export const DetectedProvider = z.object({
  provider: z.string().describe("Provider type to add it as"),
  displayName: z.string(),
  baseUrl: z.string(),
  models: z.array(z.string()).describe("Models it serves now"),
});
export type DetectedProvider = z.infer<typeof DetectedProvider>;

/** Includes hidden models and the source of the price. */
export interface ActiveModel
  extends Pick<
    Model,
    "id" | "name" | "maxTokens" | "cost" | "capabilities" | "recommended" | "enhanced" | "providers"
  > {
  kind: ModelKind;
  /** The first provider's name; null for the built-in model. */
  first: string | null;
  hidden: boolean;
  /** Number of groups that it is limited to; 0 for everyone. */
  groups: number;
  overridden: boolean;
  /** What calls to its first provider leave out, in words. */
  leftOut: string[];
}
