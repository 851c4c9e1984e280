import { z } from "zod";
import { EFFORT_CHOICES } from "~/ai/models/model-picker.shared";
import { ToolNames } from "~/ai/tools/tools.schema";
import { sensitive } from "~/platform/audit/audit.schema";
import { CursorParam } from "~/platform/catalogue/fields.schema";

/** The format of exports. */
export const PERSONA_VERSION = "persona/1";

const NAME_MAX = 100;
const PROMPT_MAX = 20_000;
const MODES = ["default", "research", "operations", "development"] as const;
export type Mode = (typeof MODES)[number];
/** Approval of tool calls: as in any chat, for all that write or go outside, or by the organization's policies. */
const APPROVALS = ["default", "ask", "organisation"] as const;
export type PersonaApproval = (typeof APPROVALS)[number];
const VISIBILITIES = ["everyone", "groups", "own"] as const;
export type PersonaVisibility = (typeof VISIBILITIES)[number];
const GROUPS_MAX = 50;
const SKILLS_MAX = 20;
const ASSISTANTS_MAX = 20;
const QUESTION_MAX = 4_000;

/** From the specification; the form marks unavailable ones. */
export const MODEL_OPTIONS = [
  "gpt-4o",
  "gpt-4",
  "gpt-3.5-turbo",
  "claude-3-opus",
  "claude-3-sonnet",
  "gemini-2.5-flash",
] as const;
export const DEFAULT_MODEL = "gpt-4o";
/** Default after a persona was created. */
export const NEXT_MODEL = "gpt-3.5-turbo";

const NAME_REQUIRED = "Persona name is required";

const fields = {
  name: z
    .string({ error: NAME_REQUIRED })
    .trim()
    .min(1, NAME_REQUIRED)
    .max(NAME_MAX, `Use at most ${NAME_MAX} characters`)
    .regex(/^\P{Cc}*$/u, "Remove line breaks and control characters"),
  systemPrompt: z
    .string()
    .max(PROMPT_MAX, `Use at most ${PROMPT_MAX.toLocaleString("en-US")} characters`)
    .describe("Instructions the model receives before every conversation")
    .register(sensitive, { kind: "personal" }),
  defaultModel: z.string().trim().min(1, "Choose a model").max(200, "Use at most 200 characters"),
  mode: z.enum(MODES, { error: "Choose a mode from the list" }),
  reasoningEffort: z
    .enum(EFFORT_CHOICES, { error: "Choose an effort from the list" })
    .describe("How much a model that reasons thinks; `default` leaves it to the model"),
  tools: ToolNames.describe("Names of the tools it may call"),
  skills: z
    .array(z.string().max(64))
    .max(SKILLS_MAX, `Choose at most ${SKILLS_MAX} skills`)
    .describe("IDs of the skills that its model can load; those hidden from who asks are left out"),
  assistants: z
    .array(z.string().max(64))
    .max(ASSISTANTS_MAX, `Choose at most ${ASSISTANTS_MAX} personas`)
    .describe("IDs of the personas that its model can ask; those hidden from who asks are left out"),
  assistantSteps: z.coerce
    .number("Enter 1 to 10 steps")
    .int("Enter a whole number of steps")
    .min(1, "Enter 1 to 10 steps")
    .max(10, "Enter 1 to 10 steps")
    .describe("Maximum model calls per question to one of them"),
  assistantBudget: z.coerce
    .number("Enter 0.01 to 100 dollars")
    .min(0.01, "Enter 0.01 to 100 dollars")
    .max(100, "Enter 0.01 to 100 dollars")
    .describe("What they may cost together in one answer, in US dollars"),
  approval: z
    .enum(APPROVALS, { error: "Choose an approval rule from the list" })
    .describe(
      "Which tool calls wait for a person in chat: `default`, each that writes or goes outside (`ask`), or by the organization's tool policies (`organisation`)",
    ),
  visibility: z
    .enum(VISIBILITIES, { error: "Choose who can see the persona" })
    .describe("Visibility besides admins: everyone, its `groups`, or only its creator (`own`)"),
  groups: z
    .array(z.string().max(64))
    .max(GROUPS_MAX, `Choose at most ${GROUPS_MAX} groups`)
    .describe("IDs of the groups that see it, with the visibility `groups`"),
};

export const PersonaInput = z.object({
  ...fields,
  systemPrompt: fields.systemPrompt.default(""),
  defaultModel: fields.defaultModel.default(DEFAULT_MODEL),
  mode: fields.mode.default("default"),
  reasoningEffort: fields.reasoningEffort.default("default"),
  tools: fields.tools.default([]),
  skills: fields.skills.default([]),
  assistants: fields.assistants.default([]),
  assistantSteps: fields.assistantSteps.default(3),
  assistantBudget: fields.assistantBudget.default(0.1),
  approval: fields.approval.default("default"),
  visibility: fields.visibility.default("everyone"),
  groups: fields.groups.default([]),
});
export type PersonaInput = z.infer<typeof PersonaInput>;

/** Try It's question is part of the same form. */
const tryItFields = { question: z.string().optional() };

export const NewPersonaForm = PersonaInput.extend(tryItFields);

/** The version that was edited. */
const updatedAt = z.iso.datetime().optional();

/** Visibility is absent if the user may not change it. */
export const PersonaForm = PersonaInput.extend({
  ...tryItFields,
  updatedAt,
  visibility: fields.visibility.optional(),
  groups: fields.groups.optional(),
});

export const PersonaTrial = PersonaForm.omit({ name: true }).extend({
  /** Of the edited persona. */
  id: z.string().max(64).optional(),
  name: z.string().max(1_000).default(""),
  question: z
    .string({ error: "Enter a question" })
    .trim()
    .min(1, "Enter a question")
    .max(QUESTION_MAX, `Use at most ${QUESTION_MAX.toLocaleString("en-US")} characters`),
});
export type PersonaTrial = z.infer<typeof PersonaTrial>;

export const PersonaPatch = z.object(fields).partial();
export type PersonaPatch = z.infer<typeof PersonaPatch>;

export const PersonaUpdate = PersonaPatch.extend({
  updatedAt: updatedAt.describe("The version that was read; 409 if it changed since"),
});

export const Persona = z.object({
  id: z.string(),
  name: z.string(),
  systemPrompt: z.string(),
  defaultModel: z.string(),
  mode: z.enum(MODES),
  reasoningEffort: z.enum(EFFORT_CHOICES),
  tools: z.array(z.string()),
  skills: z.array(z.string()).describe("IDs of its skills"),
  assistants: z.array(z.string()).describe("IDs of the personas that it can ask"),
  assistantSteps: z.number(),
  assistantBudget: z.number(),
  approval: z.enum(APPROVALS),
  visibility: z.enum(VISIBILITIES),
  groups: z.array(z.string()).describe("IDs of the groups that see it"),
  createdBy: z.string().describe("ID of the member who created it"),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Persona = z.infer<typeof Persona>;

export const PersonaId = z.object({ id: z.string().min(1).max(64) });

export const PersonaQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: CursorParam,
});
export type PersonaQuery = z.infer<typeof PersonaQuery>;

/** Search, page, dialog and the new persona. */
export const PersonaScreenQuery = z.object({
  dialog: z.enum(["new", "edit", "delete", "import"]).optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
  created: z.string().max(64).optional().catch(undefined),
  find: z.string().trim().max(100).catch("").default(""),
  cursor: CursorParam,
});
