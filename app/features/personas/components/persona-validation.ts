import { parseWithZod } from "@conform-to/zod/v4";
import { PersonaInput } from "../personas.schema";

/** The server's own check, in the browser; a module of its own because zod is heavy. */
export function validatePersona(formData: FormData) {
  return parseWithZod(formData, { schema: PersonaInput });
}
