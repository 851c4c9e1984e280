import { z } from "zod";
import { bounded, MAX_MESSAGES, ModelId } from "./content.schema";
import { ToolParameters } from "./tool-schema.schema";

/** Function names; the provider validates its own tools. */
const Tool = z
  .looseObject({ type: z.string().max(64), parameters: z.unknown().optional() })
  .superRefine((tool, context) => {
    if (tool.type !== "function" || tool.parameters === undefined || tool.parameters === null) return;
    const first = ToolParameters.safeParse(tool.parameters).error?.issues[0];
    if (!first) return;
    context.addIssue({ code: "custom", path: ["parameters", ...first.path], message: first.message });
  });

/** OpenAI's Responses API is only passed through: this covers routing and early refusals. */
export const ResponsesRequest = z.looseObject(
  {
    model: ModelId,
    stream: z.boolean().nullish(),
    input: z
      .union(
        [z.string(), bounded(z.looseObject({}), MAX_MESSAGES, "items")],
        "The input must be a string or an array of items.",
      )
      .optional(),
    instructions: z.string().nullish(),
    tools: z.array(Tool).nullish(),
  },
  "The request must be a JSON object.",
);
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
