import { z } from "zod";
import type { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { CatalogueQuery } from "./catalogue.schema";
import type { ModelSettings } from "./model-settings.schema";
import type { Model, ModelKind } from "./models.schema";

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
  overridden: boolean;
}

export interface ModelDialogData {
  model: EditedModel | undefined;
  /** Message for a model that is gone. */
  missing: string | undefined;
  providers: readonly { id: string; displayName: string }[];
  policy: RoutingPolicy;
}

export interface EditedModel {
  model: Pick<Model, "id" | "name" | "maxTokens" | "cost" | "capabilities" | "recommended">;
  settings: ModelSettings;
  listedRecommended: boolean;
}

/** Invalid parameters are ignored. */
export const CatalogueView = CatalogueQuery.extend({
  maker: z.string().max(100).default("").catch(""),
  sort: z.enum(["name", "maker", "context", "input", "output"]).default("name").catch("name"),
  order: z.enum(["asc", "desc"]).default("asc").catch("asc"),
  page: z.coerce.number().int().min(1).max(10_000).default(1).catch(1),
});
export type CatalogueView = z.infer<typeof CatalogueView>;
