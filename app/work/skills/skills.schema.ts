import { z } from "zod";
import { sensitive } from "~/platform/audit/audit.schema";

/** Of a file, in characters. */
const MARKDOWN_MAX = 60_000;

/** The tool by which a model loads one. */
export const LOAD_SKILL = "skill.load";

/** The front matter of a SKILL.md; its other fields are kept in the file, and not used. */
export const SkillFrontMatter = z.object(
  {
    name: z
      .string({ error: "Give the skill a `name` in its front matter" })
      .max(64, "Use at most 64 characters in the name")
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "Use lower-case letters, digits and single hyphens in the name"),
    description: z
      .string({ error: "Say in a `description` in the front matter when the skill is useful" })
      .trim()
      .min(1, "Say in the `description` when the skill is useful")
      .max(1024, "Use at most 1,024 characters in the description"),
  },
  { error: "The front matter holds no fields" },
);

const fields = {
  markdown: z
    .string({ error: "Enter the skill" })
    .max(MARKDOWN_MAX, `Use at most ${MARKDOWN_MAX.toLocaleString("en-US")} characters`)
    .describe("A SKILL.md: front matter with `name` and `description`, then the instructions")
    .register(sensitive, { kind: "personal" }),
  shared: z.boolean().describe("Whether personas of everyone in the organization can use it"),
};

export const SkillInput = z.object({ ...fields, shared: fields.shared.default(false) });
export type SkillInput = z.infer<typeof SkillInput>;

export const SkillPatch = z.object(fields).partial();
export type SkillPatch = z.infer<typeof SkillPatch>;

const updatedAt = z.iso.datetime().optional();

export const SkillUpdate = SkillPatch.extend({
  updatedAt: updatedAt.describe("The version that was read; 409 if it changed since"),
});

/** Unchecked boxes aren't sent. */
export const SkillForm = z.object({ ...fields, shared: z.literal("on").optional(), updatedAt });
export type SkillForm = z.infer<typeof SkillForm>;

export const Skill = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  markdown: z.string(),
  shared: z.boolean(),
  author: z.object({ id: z.string(), name: z.string() }),
  canEdit: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Skill = z.infer<typeof Skill>;

/** Of a list: all texts of an organization are too many for one answer. */
export const ListedSkill = Skill.omit({ markdown: true });
export type ListedSkill = z.infer<typeof ListedSkill>;

export const SkillId = z.object({ id: z.string().min(1).max(64) });

export const SkillScreenQuery = z.object({
  dialog: z.enum(["new", "edit", "delete"]).optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
});
