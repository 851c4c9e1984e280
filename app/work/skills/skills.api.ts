import { z } from "zod";
import { created, endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { ListedSkill, Skill, SkillId, SkillInput, SkillUpdate } from "./skills.schema";
import { createSkill, deleteSkill, listSkills, readSkill, updateSkill } from "./skills.service.server";

export const skillsApi = endpoints("Skills", [
  endpoint({
    method: "GET",
    path: "/api/skills/{id}",
    summary: "Get a skill",
    access: "screens.read",
    params: SkillId,
    response: Skill,
    handle: ({ actor, params }) => readSkill(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/skills/{id}",
    summary: "Change a skill",
    access: "personas.write",
    params: SkillId,
    body: SkillUpdate,
    response: Skill,
    handle: ({ actor, params, body: { updatedAt, ...patch } }) =>
      updateSkill(actor, params.id, patch, updatedAt),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/skills/{id}",
    summary: "Delete a skill",
    access: "personas.write",
    params: SkillId,
    status: 204,
    handle: ({ actor, params }) => void deleteSkill(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/skills",
    summary: "List your skills and shared ones, by name, without their texts",
    access: "screens.read",
    response: z.array(ListedSkill),
    handle: ({ actor }) => listSkills(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/skills",
    summary: "Create a skill from a SKILL.md",
    access: "personas.write",
    body: SkillInput,
    response: Skill,
    status: 201,
    handle: ({ actor, body }) => {
      const skill = createSkill(actor, body);
      return created(skill, `/api/skills/${skill.id}`);
    },
  }),
]);
