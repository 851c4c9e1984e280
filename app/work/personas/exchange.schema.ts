import { z } from "zod";
import { PersonaInput } from "./personas.schema";

const VERSION = "persona/1";
const MAX_PERSONAS = 100;
const EXCHANGE_LIMIT = 900_000;

const { name, systemPrompt, defaultModel, mode, tools, approval } = PersonaInput.shape;

/** Without ids, people, groups or times. */
const ExchangedPersona = z.strictObject({ name, systemPrompt, defaultModel, mode, tools, approval });

export const PersonaExport = z.strictObject({
  format: z.literal(VERSION, { error: `The format must be ${VERSION}` }),
  personas: z
    .array(ExchangedPersona)
    .min(1, "The file contains no personas")
    .max(MAX_PERSONAS, `Import at most ${MAX_PERSONAS} personas at once`),
});
export type PersonaExport = z.infer<typeof PersonaExport>;

export const PersonaImportForm = z.object({
  json: z
    .string({ error: "Paste an exported persona" })
    .min(1, "Paste an exported persona")
    .max(EXCHANGE_LIMIT, "Use at most 900,000 characters"),
});
