import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { effortOptions, readEffort } from "~/ai/models/models.service.server";
import { invalidField } from "./content";
import { asJsonSchema, type Path, present } from "./prompt";

// What OpenAI's two protocols say alike beside the prompt.

interface OpenAiOptions {
  effort: string | null | undefined;
  user: string | null | undefined;
  parallel: boolean | null | undefined;
}

/** Anthropic's maximum (https://platform.claude.com/docs/en/api/messages/create). */
const MAX_USER_LENGTH = 256;

/** Options of a call by adapter. */
export function openAiOptions({ effort, user, parallel }: OpenAiOptions): SharedV3ProviderOptions {
  const isSequential = parallel === false;
  return {
    ...effortOptions(readEffort(effort)),
    anthropic: {
      ...(user && user.length <= MAX_USER_LENGTH ? { metadata: { userId: user } } : {}),
      ...(isSequential ? { disableParallelToolUse: true } : {}),
    },
    openai: {
      ...(user ? { user } : {}),
      ...(isSequential ? { parallelToolCalls: false } : {}),
    },
    ...(isSequential ? { openaiCompatible: { parallel_tool_calls: false } } : {}),
  };
}

/** A format with the members of its `json_schema`, which the protocols nest differently. */
export interface OpenAiFormat {
  type: string;
  schema?: Record<string, unknown> | null | undefined;
  name?: string | null | undefined;
  description?: string | null | undefined;
}

export function openAiResponseFormat(
  format: OpenAiFormat | null | undefined,
  path: Path,
): LanguageModelV3CallOptions["responseFormat"] {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema")
    throw invalidField(path, `This model's provider doesn't support the format ${format.type}.`);
  const { name, description, schema } = format;
  return { type: "json", ...present({ name, description, schema: schema && asJsonSchema(schema) }) };
}
