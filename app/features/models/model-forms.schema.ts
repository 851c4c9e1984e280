import { z } from "zod";
import { CustomModelInput, ModelPatch } from "./model-settings.schema";
import { ModelRouting } from "./models.schema";

/** A form sends an empty text for what is left out; null takes a setting back to what is known without it. */
const blankToNull = (value: unknown) =>
  value === undefined || (typeof value === "string" && value.trim() === "") ? null : value;
const orNull = <T extends z.ZodType>(schema: T) => z.preprocess(blankToNull, schema);
const ticked = z.preprocess((value) => value === "on", z.boolean());

/** A row of the form: a provider and the id it knows the model by. An empty row counts for nothing. */
const TargetRow = z
  .object({ providerId: z.string().default(""), model: z.string().trim().max(200).default("") })
  .superRefine((row, context) => {
    if (row.providerId && !row.model)
      context.addIssue({ code: "custom", path: ["model"], message: "Enter the provider's model ID" });
    if (!row.providerId && row.model)
      context.addIssue({ code: "custom", path: ["providerId"], message: "Choose a provider" });
  });

/** How the form says a model is routed; null where it says nothing. */
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

/** Add Custom Model's form: a model, and who serves it under which id. */
export const CustomModelForm = CustomModelInput.extend({
  routing: RoutingForm.optional(),
});
export type CustomModelForm = z.infer<typeof CustomModelForm>;

/** Both prices or neither: one alone would leave the other to be guessed. */
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

/** The form that changes a model: every setting, an empty one being what is known of the model without it. */
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
    /** What was ticked when the form was opened: what no one changed isn't set. */
    shownCapabilities: z.string().max(500).default(""),
    hidden: ticked,
    recommended: ticked,
    /** Whether the catalogue recommends it: saying the same keeps following the catalogue. */
    listedRecommended: ticked,
    routing: RoutingForm.default(null),
  })
  .transform(({ shownCapabilities, capabilities, listedRecommended, ...rest }): ModelPatch => {
    const patch = { ...rest, recommended: rest.recommended === listedRecommended ? null : rest.recommended };
    const same =
      [...capabilities].sort().join() === shownCapabilities.split(",").filter(Boolean).sort().join();
    if (same) return patch;
    return { ...patch, capabilities: capabilities.length > 0 ? capabilities : null };
  });
