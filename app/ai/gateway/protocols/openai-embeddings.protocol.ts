import { z } from "zod";
import { parseRequest } from "./content";
import { ModelId } from "./content.schema";
import { openAiErrors } from "./errors";
import { type CheckedRequest, type Protocol, toChecked } from "./protocol";
import { countOpenAiTokens } from "./wire-usage";

function check(body: unknown): CheckedRequest {
  const request = parseRequest(EmbeddingsRequest, body);
  return toChecked(request, { stream: false, inBase64: request.encoding_format === "base64" });
}

export const openAiEmbeddings: Protocol = {
  kind: "embedding",
  check,
  resultMember: "data",
  countTokens: (usage) => ({ ...countOpenAiTokens(usage), outputTokens: 0 }),
  errors: openAiErrors,
  passedHeaders: [],
};

const MAX_INPUTS = 2048;
/** Total of all inputs. */
const MAX_TEXT = 4_000_000;
const MAX_TOKENS = 1_000_000;

const isTokens = (all: readonly unknown[]) => all.every((one) => Number.isInteger(one) && Number(one) >= 0);

/** A message about invalid input, or undefined. Arrays may be huge: nothing is copied or parsed. */
function problemWithInput(input: unknown): string | undefined {
  if (typeof input === "string") {
    if (input === "") return "The input is empty.";
    return input.length > MAX_TEXT ? tooMuchText(input.length) : undefined;
  }
  if (!Array.isArray(input)) return "The input must be a string, an array of strings, or tokens.";
  const data: readonly unknown[] = input;
  if (data.length === 0) return "The input is empty.";
  if (typeof data[0] === "number") {
    if (!isTokens(data)) return "Tokens must be whole numbers.";
    return data.length > MAX_TOKENS ? tooManyTokens(data.length) : undefined;
  }
  if (data.length > MAX_INPUTS) {
    return `There are ${data.length} inputs; at most ${MAX_INPUTS} are allowed.`;
  }
  return Array.isArray(data[0]) ? problemWithTokenLists(data) : problemWithTexts(data);
}

const tooMuchText = (size: number) =>
  `The input contains ${(size / 1e6).toFixed(1)} MB of text; at most ${MAX_TEXT / 1e6} MB is allowed.`;
const tooManyTokens = (count: number) =>
  `The input contains ${count} tokens; at most ${MAX_TOKENS.toLocaleString("en")} are allowed.`;

function problemWithTexts(texts: readonly unknown[]): string | undefined {
  let size = 0;
  for (const text of texts) {
    if (typeof text !== "string") return "The inputs must be all texts or all tokens.";
    if (text === "") return "One of the inputs is empty.";
    size += text.length;
  }
  return size > MAX_TEXT ? tooMuchText(size) : undefined;
}

function problemWithTokenLists(lists: readonly unknown[]): string | undefined {
  let count = 0;
  for (const list of lists) {
    if (!Array.isArray(list) || list.length === 0 || !isTokens(list)) return "Tokens must be whole numbers.";
    count += list.length;
  }
  return count > MAX_TOKENS ? tooManyTokens(count) : undefined;
}

/** Unknown members are kept for the provider. */
export const EmbeddingsRequest = z.looseObject(
  {
    model: ModelId,
    input: z.unknown().superRefine((input, context) => {
      const message = problemWithInput(input);
      if (message) context.addIssue({ code: "custom", message });
    }),
    encoding_format: z.enum(["float", "base64"], "The encoding must be float or base64.").nullish(),
    dimensions: z.number().int().min(1).max(100_000).nullish(),
    user: z.string().max(1000).nullish(),
  },
  "The request must be a JSON object.",
);
export type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>;
