import { z } from "zod";
import { CustomModelInput, ModelPatch } from "./model-settings.schema";
import { ModelRouting } from "./models.schema";

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

/** Both prices or neither. */
const PriceForm = z
  .object({ input: z.unknown(), output: z.unknown() })
  .transform(({ input, output }) => ({ input: blankToNull(input), output: blankToNull(output) }))
  .superRefine(({ input, output }, context) => {
    const message = "Enter both prices, or leave both blank";
    if (input === null && output !== null) context.addIssue({ code: "custom", path: ["input"], message });
    if (output === null && input !== null) context.addIssue({ code: "custom", path: ["output"], message });
  })
  .transform(
    ({ input, output }): z.input<typeof ModelPatch.shape.cost> =>
      input === null && output === null ? null : { input, output },
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
  })
  .transform(({ shownCapabilities, capabilities, listedRecommended, ...rest }): ModelPatch => {
    const patch = { ...rest, recommended: rest.recommended === listedRecommended ? null : rest.recommended };
    const isUnchanged =
      [...capabilities].sort().join() === shownCapabilities.split(",").filter(Boolean).sort().join();
    if (isUnchanged) return patch;
    return { ...patch, capabilities: capabilities.length > 0 ? capabilities : null };
  });
