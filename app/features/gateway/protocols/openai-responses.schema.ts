import { z } from "zod";
import { bounded, MOST_MESSAGES, ModelId } from "./content.schema";
import { ToolParameters } from "./tool-schema.schema";

/** Of a function; the provider's own tools are its own business. */
const Tool = z
  .looseObject({ type: z.string().max(64), parameters: z.unknown().optional() })
  .superRefine((tool, context) => {
    if (tool.type !== "function" || tool.parameters === undefined || tool.parameters === null) return;
    const first = ToolParameters.safeParse(tool.parameters).error?.issues[0];
    if (!first) return;
    context.addIssue({ code: "custom", path: ["parameters", ...first.path], message: first.message });
  });

/**
 * The request of OpenAI's Responses API, which is passed through to providers that support it and never translated:
 * what is needed to find the provider, and what can be rejected without calling one.
 */
export const ResponsesRequest = z.looseObject(
  {
    model: ModelId,
    stream: z.boolean().nullish(),
    input: z
      .union(
        [z.string(), bounded(z.looseObject({}), MOST_MESSAGES, "items")],
        "The input must be a text or items.",
      )
      .optional(),
    instructions: z.string().nullish(),
    tools: z.array(Tool).nullish(),
  },
  "The request must be a JSON object.",
);
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
