import { z } from "zod";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { parsePasted, parsePastedJson } from "~/core/parse";
import { clip } from "~/core/well-formed";
import { pastedJsonField } from "~/platform/catalogue/fields.schema";
import { authorise } from "~/platform/rights/authorization.server";
import { hasPrompt } from "./prompts.repo.server";
import { type Prompt, PromptInput } from "./prompts.schema";
import { createPrompt } from "./prompts.service.server";

const MAX_PROMPTS = 500;
const NAME_LENGTH = 100;
const EXPECTED = "Paste a list of prompts";

const text = z.string().nullish().catch(null);

/** A prompt of Open WebUI (`command`, `title`, `content`), of LibreChat (`productionPrompt`) or of this console's API. */
const OtherPrompt = z.object({
  name: text,
  title: text,
  command: text,
  content: text,
  text,
  prompt: text,
  productionPrompt: z.object({ prompt: text }).nullish().catch(null),
});
type OtherPrompt = z.infer<typeof OtherPrompt>;

const List = z
  .array(OtherPrompt)
  .min(1, "The file has no prompts")
  .max(MAX_PROMPTS, `Import at most ${MAX_PROMPTS} prompts at once`);

/** For the API reference. */
export const ExportedPrompts = z
  .union([
    z.array(z.looseObject({})),
    z.looseObject({ prompts: z.array(z.looseObject({})) }),
    z.looseObject({ promptGroups: z.array(z.looseObject({})) }),
  ])
  .describe("A list of prompts of this console or Open WebUI, or a page of LibreChat's prompts");

/** LibreChat's lists by page have theirs within. */
const PromptFile = z.preprocess((value) => {
  const within = z
    .object({ promptGroups: z.array(z.unknown()) })
    .or(z.object({ prompts: z.array(z.unknown()) }));
  const { data } = within.safeParse(value);
  return data ? Object.values(data)[0] : value;
}, List);

/** `{{name | select:options=["a"]:default="a"}}` of Open WebUI, `{{name:a|b}}` of LibreChat. */
const VARIABLE = /\{\{[ \t]*([\p{L}_][\p{L}\p{N}_ -]{0,59}?)[ \t]*([|:])([^{}\n]{0,500})\}\}/gu;
const DEFAULT = /default="([^"]{0,200})"/;

/** Writes variables as this console does, with a default that they have, or the first of their choices. */
function toVariables(prompt: string): string {
  return prompt.replace(VARIABLE, (_, name: string, separator: string, rest: string) => {
    const fallback = separator === "|" ? DEFAULT.exec(rest)?.[1] : rest.split("|")[0]?.trim();
    return fallback ? `{{${name}=${fallback}}}` : `{{${name}}}`;
  });
}

function toInput({ name, title, command, content, text, prompt, productionPrompt }: OtherPrompt) {
  const label = name || title || command || "";
  return {
    // Control characters have no place in a name.
    name: clip(
      label
        .replaceAll(/\p{Cc}+/gu, " ")
        .replace(/^\//, "")
        .trim(),
      NAME_LENGTH,
    ),
    text: toVariables(content ?? text ?? prompt ?? productionPrompt?.prompt ?? ""),
  };
}

interface PromptImport {
  prompts: Prompt[];
  /** How many the actor had already, with the same name and text. */
  present: number;
}

/**
 * Adds prompts exported by Open WebUI, LibreChat or this console's API, for the actor alone; all or none.
 * @throws AppError `invalid` with the first problem, `conflict` above the actor's 500
 */
export function importPrompts(actor: Actor, json: string): PromptImport {
  authorise(actor, "prompts.write");
  const others = parsePasted(PromptFile, parsePastedJson(json), EXPECTED);
  const inputs = parsePasted(z.array(PromptInput), others.map(toInput), EXPECTED);
  return transaction((tx) => {
    const prompts = inputs.flatMap((input) =>
      hasPrompt(tx, actor, input) ? [] : [createPrompt(actor, input)],
    );
    return { prompts, present: inputs.length - prompts.length };
  });
}

export const PromptImportForm = z.object({ json: pastedJsonField("Paste exported prompts") });
