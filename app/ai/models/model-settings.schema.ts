import { z } from "zod";
import { ModelId, RoutingPolicy } from "~/platform/catalogue/models.schema";
import { SettingsVersion } from "~/platform/settings/settings.schema";
import { CAPABILITIES, HUBS, UNIT_PRICES } from "./model-options.shared";
import { blankToUndefined, type Model, type ModelKind, ModelRouting } from "./models.schema";

/** Default context length (section 9). */
export const DEFAULT_CONTEXT_TOKENS = 4096;

/** US dollars per unit; anything above is a typo. */
const MAX_PRICE = 1000;
const Price = z.coerce
  .number({ error: "Enter a price in dollars" })
  .min(0, "Enter a price of 0 or more")
  .max(MAX_PRICE);
const Length = z.coerce
  .number()
  .int("Enter a whole number")
  .min(1, "Enter at least 1 token")
  .max(100_000_000);
const Capabilities = z.array(z.enum(CAPABILITIES)).max(CAPABILITIES.length);

/** Section 5: invalid numbers count as empty. */
const invalidToUndefined = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => {
    const number =
      typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value ?? Number.NaN);
    return Number.isFinite(number) ? number : undefined;
  }, schema.optional());

/**
 * A model served by enabled providers of its type. With targets and no type it is an alias, whose unset fields come
 * from the targets.
 */
export const CustomModelInput = z.strictObject({
  id: z.string({ error: "Enter the model's ID" }).trim().min(1, "Enter the model's ID").max(200),
  name: z.string({ error: "Enter the model's name" }).trim().min(1, "Enter the model's name").max(200),
  provider: blankToUndefined(z.string().trim().max(50)).describe(
    "Type of its provider; custom by default, unless there are targets",
  ),
  description: blankToUndefined(z.string().trim().max(2000)),
  maxTokens: invalidToUndefined(Length).describe("Context length in tokens; 4096 if omitted"),
  cost: z
    .object({ input: invalidToUndefined(Price), output: invalidToUndefined(Price) })
    .default({})
    .describe("US dollars per 1,000 tokens; shown as 0 if omitted and no provider or list has a price"),
  capabilities: Capabilities.default([]).describe("text if omitted"),
  routing: ModelRouting.nullish(),
});
export type CustomModelInput = z.infer<typeof CustomModelInput>;

/** Null resets a field. */
export const ModelPatch = z.strictObject({
  name: z.string().trim().min(1).max(200).nullable().optional(),
  description: z.string().trim().max(2000).nullable().optional(),
  maxTokens: Length.nullable().optional().describe("Context length in tokens"),
  cost: z
    .object({
      input: Price,
      output: Price,
      searchUnits: Price.optional().describe("Per 1,000 search units of a reranker, beside its tokens"),
      images: Price.optional().describe("Per image that is made, beside its tokens"),
      audioMinutes: Price.optional().describe("Per minute of transcribed audio, beside its tokens"),
      characters: Price.optional().describe("Per million characters read aloud, beside their tokens"),
    })
    .nullable()
    .optional()
    .describe("US dollars per 1,000 tokens, for display and for the cost of calls"),
  capabilities: Capabilities.nullable().optional(),
  hidden: z.boolean().optional().describe("Hidden from pickers; it can still be called by its id"),
  recommended: z.boolean().nullable().optional(),
  routing: ModelRouting.nullable().optional(),
  groups: z
    .array(z.string().max(100))
    .min(1, "Choose at least one group")
    .max(200)
    .nullable()
    .optional()
    .describe("IDs of the groups whose members may call it, beside admins; null for everyone"),
});
export type ModelPatch = z.infer<typeof ModelPatch>;

/** Null where unset. */
export const ModelSettings = z.object({
  id: z.string(),
  source: z
    .enum([...HUBS, "custom"])
    .nullable()
    .describe("Null for a model that a provider lists"),
  provider: z.string().nullable().describe("Type of the provider that serves an added model"),
  name: z.string().nullable(),
  description: z.string().nullable(),
  maxTokens: z.number().int().nullable(),
  cost: z
    .object({
      input: z.number(),
      output: z.number(),
      searchUnits: z.number().optional(),
      images: z.number().optional(),
      audioMinutes: z.number().optional(),
      characters: z.number().optional(),
    })
    .nullable(),
  capabilities: z.array(z.enum(CAPABILITIES)).nullable(),
  hidden: z.boolean(),
  recommended: z.boolean().nullable(),
  routing: ModelRouting.nullable(),
  groups: z.array(z.string()).nullable(),
});
export type ModelSettings = z.infer<typeof ModelSettings>;

export interface ModelDialogData {
  model: EditedModel | undefined;
  missing: string | undefined;
  providers: readonly { id: string; displayName: string }[];
  policy: RoutingPolicy;
  groups: readonly { id: string; name: string }[];
}

export interface EditedModel {
  model: Pick<Model, "id" | "name" | "maxTokens" | "cost" | "capabilities" | "recommended">;
  settings: ModelSettings;
  listedRecommended: boolean;
  kind: ModelKind;
}

/** In the query, since ids contain slashes. */
export const ModelQuery = z.object({ id: ModelId });

export const RoutingSettings = z.strictObject({
  policy: RoutingPolicy,
  defaultModel: z
    .string()
    .trim()
    .max(200)
    .describe("Model of members who chose none; empty for each screen's own"),
  imageModel: z
    .string()
    .trim()
    .max(200)
    .describe("Model of the tool image.generate; empty for the first that the person may use"),
});
export type RoutingSettings = z.infer<typeof RoutingSettings>;

export const RoutingInput = RoutingSettings.partial({ defaultModel: true, imageModel: true });
export type RoutingInput = z.infer<typeof RoutingInput>;

/** Form of the default routing, with the version that it was loaded with. An empty field is left out of forms. */
export const RoutingSettingsForm = RoutingSettings.extend({
  defaultModel: RoutingSettings.shape.defaultModel.default(""),
  imageModel: RoutingSettings.shape.imageModel.default(""),
  version: SettingsVersion,
});

export const ProviderMove = z.strictObject({ direction: z.enum(["up", "down"]) });

/** Empty means unset; null resets a setting. */
const blankToNull = (value: unknown) =>
  value === undefined || (typeof value === "string" && value.trim() === "") ? null : value;
const orNull = <T extends z.ZodType>(schema: T) => z.preprocess(blankToNull, schema);
const checkbox = z.preprocess((value) => value === "on", z.boolean());

/** Empty rows are ignored. */
const TargetRow = z
  .object({ providerId: z.string().default(""), model: z.string().trim().max(200).default("") })
  .superRefine((row, context) => {
    if (row.providerId && !row.model)
      context.addIssue({ code: "custom", path: ["model"], message: "Enter the provider's model ID" });
    if (!row.providerId && row.model)
      context.addIssue({ code: "custom", path: ["providerId"], message: "Choose a provider" });
  });

const RoutingForm = z
  .object({
    policy: z.preprocess((value) => blankToNull(value) ?? undefined, ModelRouting.shape.policy),
    fallbacks: z.preprocess(
      (value) => (typeof value === "string" ? value.split(/[\n,]+/).filter((line) => line.trim()) : value),
      ModelRouting.shape.fallbacks,
    ),
    targets: z.array(TargetRow).max(20).default([]),
  })
  .transform(({ targets, ...rest }) => ({ ...rest, targets: targets.filter(({ providerId }) => providerId) }))
  .transform((routing) =>
    routing.policy || routing.fallbacks.length > 0 || routing.targets.length > 0 ? routing : null,
  );

export const CustomModelForm = CustomModelInput.extend({
  routing: RoutingForm.optional(),
});
export type CustomModelForm = z.infer<typeof CustomModelForm>;

/** Both prices of tokens or neither; with a price of other units alone, tokens cost nothing. */
const PriceForm = z
  .looseObject({ input: z.unknown(), output: z.unknown() })
  .transform(({ input, output, ...given }) => ({
    input: blankToNull(input),
    output: blankToNull(output),
    units: Object.fromEntries(
      UNIT_PRICES.flatMap(({ name }) => (blankToNull(given[name]) === null ? [] : [[name, given[name]]])),
    ),
  }))
  .superRefine(({ input, output }, context) => {
    const message = "Enter both prices, or leave both blank";
    if (input === null && output !== null) context.addIssue({ code: "custom", path: ["input"], message });
    if (output === null && input !== null) context.addIssue({ code: "custom", path: ["output"], message });
  })
  .transform(
    ({ input, output, units }): z.input<typeof ModelPatch.shape.cost> =>
      input === null && output === null && Object.keys(units).length === 0
        ? null
        : { input: input ?? 0, output: output ?? 0, ...units },
  )
  .pipe(ModelPatch.shape.cost);

/** Empty fields reset a setting. */
export const ModelForm = z
  .object({
    name: orNull(ModelPatch.shape.name),
    description: orNull(ModelPatch.shape.description),
    maxTokens: orNull(ModelPatch.shape.maxTokens),
    cost: PriceForm.default(null),
    capabilities: z.preprocess(
      (value) => (value === undefined ? [] : [value].flat()),
      ModelPatch.shape.capabilities.unwrap().unwrap(),
    ),
    /** Initial capabilities; unchanged ones aren't stored. */
    shownCapabilities: z.string().max(500).default(""),
    hidden: checkbox,
    recommended: checkbox,
    /** The catalogue's value; an equal one isn't stored. */
    listedRecommended: checkbox,
    routing: RoutingForm.default(null),
    groups: z.preprocess((value) => (value === undefined ? null : [value].flat()), ModelPatch.shape.groups),
  })
  .transform(({ shownCapabilities, capabilities, listedRecommended, ...rest }): ModelPatch => {
    const patch = { ...rest, recommended: rest.recommended === listedRecommended ? null : rest.recommended };
    const isUnchanged =
      [...capabilities].sort().join() === shownCapabilities.split(",").filter(Boolean).sort().join();
    if (isUnchanged) return patch;
    return { ...patch, capabilities: capabilities.length > 0 ? capabilities : null };
  });
