import { z } from "zod";
import { offerTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { parsePasted, parsePastedJson } from "~/core/parse";
import { pastedJsonField } from "~/platform/catalogue/fields.schema";
import { authorise } from "~/platform/rights/authorization.server";
import { fromOtherChat } from "./other-chats";
import { PERSONA_VERSION, type Persona, PersonaInput } from "./personas.schema";
import { createPersona, isPersonaNameTaken, readPersona } from "./personas.service.server";

const NAME_LENGTH = 100;

/** @throws AppError `not_found` */
export function exportPersona(actor: Actor, id: string): PersonaExport {
  const { name, systemPrompt, defaultModel, mode, reasoningEffort, tools, approval } = readPersona(actor, id);
  return {
    format: PersonaExport.shape.format.value,
    personas: [{ name, systemPrompt, defaultModel, mode, reasoningEffort, tools, approval }],
  };
}

/** Appends a number: "Analyst (2)". */
function freeName(actor: Actor, name: string): string {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? "" : ` (${n})`;
    const candidate = name.slice(0, NAME_LENGTH - suffix.length).toWellFormed() + suffix;
    if (!isPersonaNameTaken(actor, candidate)) return candidate;
  }
}

export interface PersonaImport {
  personas: Persona[];
  missingTools: string[];
}

/**
 * Adds exported personas, visible to the actor and admins alone. Tools that aren't available here are left out.
 *
 * @param value the parsed file
 * @throws AppError `invalid` with the first problem
 */
export function importPersonas(actor: Actor, value: unknown): PersonaImport {
  authorise(actor, "personas.write");
  const file = parsePasted(PersonaExport, value, "Paste exported personas");
  const offered = new Set(offerTools(actor).map(({ name }) => name));
  const missing = new Set<string>();
  const personas = transaction(() =>
    file.personas.map((persona) => {
      for (const tool of persona.tools) if (!offered.has(tool)) missing.add(tool);
      return createPersona(actor, {
        ...PersonaInput.parse({ name: persona.name }),
        ...persona,
        name: freeName(actor, persona.name),
        tools: persona.tools.filter((tool) => offered.has(tool)),
        visibility: "own",
        groups: [],
      });
    }),
  );
  return { personas, missingTools: [...missing] };
}

/** As `importPersonas`, from JSON, also of another chat. @throws AppError `invalid` also for malformed JSON */
export function importPersonaText(actor: Actor, json: string): PersonaImport {
  return importPersonas(actor, fromOtherChat(parsePastedJson(json)));
}

const MAX_PERSONAS = 100;

/** Without ids, people, groups or times. */
const ExchangedPersona = PersonaInput.pick({
  name: true,
  systemPrompt: true,
  defaultModel: true,
  mode: true,
  reasoningEffort: true,
  tools: true,
  approval: true,
}).strict();

export const PersonaExport = z.strictObject({
  format: z.literal(PERSONA_VERSION, { error: `The format must be ${PERSONA_VERSION}` }),
  personas: z
    .array(ExchangedPersona)
    .min(1, "The file contains no personas")
    .max(MAX_PERSONAS, `Import at most ${MAX_PERSONAS} personas at once`),
});
export type PersonaExport = z.infer<typeof PersonaExport>;

const OtherPersona = z.union([z.looseObject({ name: z.string() }), z.looseObject({ title: z.string() })]);

/** For the API reference. */
export const ExportedPersonas = z
  .union([PersonaExport, OtherPersona, z.array(OtherPersona)])
  .describe("Personas of this console, or one or a list of another chat's");

export const PersonaImportForm = z.object({ json: pastedJsonField("Paste exported personas") });
