import { z } from "zod";
import { EFFORT_CHOICES } from "~/ai/models/model-picker.shared";
import { MAX_RESULT_FILES } from "~/ai/tools/files/result-files.shared";
import { choice, fileIds, numeric, requiredText, text } from "./step-config";
import { defineStep, EFFORT_FIELD, filesField, MODEL_FIELD } from "./step-type";

export const aiCompletion = defineStep({
  type: "ai_completion",
  label: "AI Chat",
  description: "Send a prompt to a model and use its answer.",
  category: "AI",
  node: "action",
  icon: "MessageSquare",
  defaults: { model: "", system: "", prompt: "", files: "", temperature: 0.7 },
  config: z.object({
    model: text(200),
    reasoningEffort: choice(EFFORT_CHOICES, "default"),
    persona: text(64),
    system: text(),
    prompt: requiredText("Enter a prompt"),
    files: fileIds(MAX_RESULT_FILES),
    temperature: numeric(0, 2, { whole: false }).default(0.7),
    maxTokens: numeric(1, 200_000).optional(),
  }),
  fields: [
    MODEL_FIELD,
    EFFORT_FIELD,
    {
      name: "persona",
      label: "Persona",
      hint: "Choose a persona for its instructions, and for its model if the step has none.",
      control: { kind: "persona" },
    },
    {
      name: "system",
      label: "System prompt",
      hint: "Describe the role and the rules the model follows.",
      control: { kind: "textarea" },
    },
    { name: "prompt", label: "Prompt", control: { kind: "textarea" } },
    filesField("files", "Files", "Sends files of steps to the model: images, and the text of others."),
    {
      name: "temperature",
      label: "Temperature",
      hint: "Use a low value for predictable answers.",
      control: { kind: "number", min: 0, max: 2, step: 0.1 },
    },
    {
      name: "maxTokens",
      label: "Max tokens",
      hint: "Leave blank to use the organization's default.",
      control: { kind: "number", min: 1, max: 200_000, step: 1 },
    },
  ],
  outputs: {
    text: "The model's answer",
    model: "The model that answered",
    files: "Images that the model made",
  },
  repeatable: true,
  timeoutMs: 300_000,
  async run({ config, services }) {
    const { model, reasoningEffort, prompt, files, temperature, maxTokens } = config;
    const persona = config.persona ? await services.readPersona(config.persona) : undefined;
    const system = [persona?.system, config.system].filter((part) => part?.trim()).join("\n\n");
    const answer = await services.generate({
      model: model || persona?.model || (await services.defaultModel()),
      prompt,
      effort: reasoningEffort,
      temperature,
      ...(files.length > 0 ? { files } : {}),
      ...(system ? { system } : {}),
      ...(config.persona ? { persona: config.persona } : {}),
      ...(maxTokens ? { maxTokens } : {}),
    });
    return { output: { ...answer } };
  },
});
