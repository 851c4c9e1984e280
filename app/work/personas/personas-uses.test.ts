import { afterEach, beforeEach, expect, it } from "vitest";
import { personaForStep, workflowsByPersona } from "~/work/workflows/references.service.server";
import { createWorkflow, deleteWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { PersonaInput } from "./personas.schema";
import {
  createPersona,
  deletePersona,
  listPersonas,
  listPersonaUses,
  registerPersonaUses,
  updatePersona,
} from "./personas.service.server";

let test: ReturnType<typeof openTestDatabase>;
let forgetUses: () => void;
beforeEach(() => {
  test = openTestDatabase();
  forgetUses = registerPersonaUses(workflowsByPersona);
});
afterEach(() => {
  forgetUses();
  test.close();
});

const workflowOf = (persona: string) => ({
  name: "Digest",
  description: "",
  connections: [],
  triggers: [{ type: "manual" }],
  steps: [{ type: "ai_completion", config: { prompt: "Sum up", persona } }],
});

it("names the workflows that use a persona, and deletes it once none does", () => {
  const { admin, member } = test.actors;
  const { id } = createPersona(member, PersonaInput.parse({ name: "Analyst" }));
  const workflow = createWorkflow(member, workflowOf(id));
  expect(listPersonaUses(admin)).toEqual({ [id]: ['workflow "Digest"'] });
  expect(() => deletePersona(member, id)).toThrow(
    expect.objectContaining({
      code: "conflict",
      message: 'It is used by the workflow "Digest". Choose another persona there first.',
    }),
  );
  deleteWorkflow(member, workflow.id);
  deletePersona(member, id);
  expect(listPersonas(admin)).toEqual([]);
});

it("keeps personas that a member doesn't see out of their workflows and runs", () => {
  const { admin, member } = test.actors;
  const { id } = createPersona(admin, PersonaInput.parse({ name: "Analyst", systemPrompt: "Be brief." }));
  createWorkflow(member, workflowOf(id));
  expect(personaForStep(member, id)).toEqual({ system: "Be brief.", model: null });
  updatePersona(admin, id, { visibility: "own" });
  expect(() => createWorkflow(member, workflowOf(id))).toThrow("Persona not found. Choose another one.");
  expect(() => personaForStep(member, id)).toThrow(expect.objectContaining({ code: "not_found" }));
  expect(() => deletePersona(member, id)).toThrow(expect.objectContaining({ code: "not_found" }));
});
