import { z } from "zod";
import type { Tool } from "~/ai/tools/tool.shared";
import { LOAD_SKILL } from "./skills.schema";
import { loadSkill } from "./skills.service.server";

const Input = z.object({ name: z.string().max(64).describe("Name of the skill") });

/** What it reads stands in for a part of the persona's own prompt, and isn't content from outside. */
export const loadSkillTool: Tool<typeof Input> = {
  name: LOAD_SKILL,
  title: "Load a skill",
  description: "Returns the instructions of one of your skills.",
  effect: "reads",
  chatOnly: true,
  input: Input,
  timeoutMs: 5000,
  // A skill is at most 60,000 characters, each of which JSON may escape.
  outputLimit: 400_000,
  run: async ({ name }, { actor, skills = [] }) => ({ name, instructions: loadSkill(actor, name, skills) }),
};
