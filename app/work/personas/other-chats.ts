import { z } from "zod";
import { DEFAULT_MODEL, PERSONA_VERSION } from "./personas.schema";

const text = z.string().nullish().catch(null);
const names = z.array(z.string()).nullish().catch(null);

/** A model of Open WebUI's workspace. Older exports have its parts in `info`. */
const OpenWebUiModel = z.object({
  name: z.string(),
  base_model_id: text,
  params: z.object({ system: text }),
  meta: z.object({ toolIds: names }).nullish().catch(null),
});
const OpenWebUi = z.union([
  OpenWebUiModel,
  z.object({ name: z.string(), info: OpenWebUiModel.omit({ name: true }) }).transform(({ name, info }) => ({
    name,
    ...info,
  })),
]);

/** A preset of LibreChat, whose instructions have a name by provider, or an agent. */
const LibreChat = z
  .object({
    title: text,
    name: text,
    model: text,
    promptPrefix: text,
    system: text,
    instructions: text,
    tools: names,
  })
  .refine(({ promptPrefix, system, instructions }) => promptPrefix ?? system ?? instructions);

function toPersona(value: unknown) {
  const model = OpenWebUi.safeParse(value).data;
  if (model)
    return {
      name: model.name,
      systemPrompt: model.params.system ?? "",
      defaultModel: model.base_model_id || DEFAULT_MODEL,
      tools: model.meta?.toolIds ?? [],
    };
  const preset = LibreChat.safeParse(value).data;
  return (
    preset && {
      name: preset.title || preset.name || "Imported persona",
      systemPrompt: preset.promptPrefix || preset.system || preset.instructions || "",
      defaultModel: preset.model || DEFAULT_MODEL,
      tools: preset.tools ?? [],
    }
  );
}

/**
 * Makes models of Open WebUI, and presets and agents of LibreChat, an export of personas.
 * @returns the value itself if it has others
 */
export function fromOtherChat(value: unknown): unknown {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const personas = [];
  for (const one of list) {
    const persona = toPersona(one);
    if (!persona) return value;
    personas.push(persona);
  }
  return list.length === 0 ? value : { format: PERSONA_VERSION, personas };
}
