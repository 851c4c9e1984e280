import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { Prompt } from "~/work/prompts/prompts.schema";
import { fillStoredPrompt, pagePrompts, readPrompt } from "~/work/prompts/prompts.service.server";

const PAGE_SIZE = 100;
/** In characters. */
const VALUE_LIMIT = 10_000;
const TEXT_LIMIT = 60_000;
const WORDS_LIMIT = 40;

/**
 * The name by which clients call a prompt, often as a command: ASCII words of its title, which may change, and its ID,
 * which finds it. Ids of plugins' prompts have a colon.
 */
function commandNameOf({ id, name }: Pick<Prompt, "id" | "name">): string {
  const ascii = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = ascii.replaceAll(/[^a-z0-9]+/g, "-").slice(0, WORDS_LIMIT);
  return `${words.replaceAll(/^-|-$/g, "") || "prompt"}.${id.replace(":", ".")}`;
}

const idOf = (commandName: string): string => {
  const [, ...id] = commandName.split(".");
  return id.join(":");
};

export async function listPrompts(actor: Actor, cursor: string | undefined) {
  const { prompts, next } = await pagePrompts(actor, { find: "", limit: PAGE_SIZE, cursor });
  return {
    prompts: prompts.map((prompt) => ({
      name: commandNameOf(prompt),
      title: prompt.name,
      description: `By ${prompt.author.name}`,
      arguments: prompt.variables.map(({ name, fallback, required }) => ({
        name,
        ...(fallback && { description: `Default: ${fallback}` }),
        required,
      })),
    })),
    ...(next !== undefined && { nextCursor: next }),
  };
}

/** @throws AppError `not_found`; `invalid` without a required value, for an unknown one, or above a limit */
export function getPrompt(actor: Actor, commandName: string, values: Readonly<Record<string, string>>) {
  const { id, name, variables } = readPrompt(actor, idOf(commandName));
  for (const [key, value] of Object.entries(values)) {
    if (!variables.some((variable) => variable.name === key))
      throw new AppError("invalid", `The prompt has no variable "${key}".`);
    if (value.length > VALUE_LIMIT)
      throw new AppError("invalid", `"${key}" is longer than ${VALUE_LIMIT} characters.`);
  }
  const text = fillStoredPrompt(
    actor,
    id,
    variables.map((variable) => values[variable.name] ?? ""),
  );
  if (text.length > TEXT_LIMIT)
    throw new AppError("invalid", `With these values the prompt is longer than ${TEXT_LIMIT} characters.`);
  return {
    description: name,
    messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  };
}
