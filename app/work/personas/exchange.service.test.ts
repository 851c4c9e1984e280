import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../../tests/support/database";
import { exportPersona, importPersonas, importPersonaText } from "./exchange.service.server";
import { PersonaInput } from "./personas.schema";
import { createPersona, listPersonas } from "./personas.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const persona = { name: "Analyst", systemPrompt: "Be brief.", tools: ["kv.get"] };
const file = (...personas: object[]) => ({ format: "persona/1", personas });

it("brings an exported persona back under a free name, visible to its importer alone", () => {
  const { member, viewer } = test.actors;
  const { id } = createPersona(member, PersonaInput.parse({ ...persona, approval: "ask" }));
  const exported = JSON.stringify(exportPersona(viewer, id));
  for (const name of ["Analyst (2)", "Analyst (3)"]) {
    const { personas } = importPersonaText(member, exported);
    expect(personas).toEqual([
      expect.objectContaining({
        ...persona,
        name,
        approval: "ask",
        visibility: "own",
        createdBy: "usr_member",
      }),
    ]);
  }
  expect(listPersonas(viewer).map(({ name }) => name)).toEqual(["Analyst"]);
});

it("leaves out tools that aren't available, and names them", () => {
  const { personas, missingTools } = importPersonas(
    test.actors.member,
    file(
      { ...persona, tools: ["kv.get", "crm.find"] },
      { ...persona, name: "x".repeat(100) },
      { ...persona, name: "x".repeat(100) },
    ),
  );
  expect(missingTools).toEqual(["crm.find"]);
  expect(personas[0]?.tools).toEqual(["kv.get"]);
  expect(personas[2]?.name).toBe(`${"x".repeat(96)} (2)`);
});

it.each([
  ["{", "Invalid JSON. Paste a complete export."],
  ["[]", "Paste exported personas."],
  [`[${Array(100_001).fill(1)}]`, "The JSON contains more than 100000 values."],
  [JSON.stringify({ ...file(persona), format: "persona/2" }), "format: The format must be persona/1."],
  [JSON.stringify(file()), "personas: The file contains no personas."],
  [JSON.stringify(file({ ...persona, createdBy: "usr_owner" })), expect.stringContaining("createdBy")],
  [JSON.stringify({ ...file(persona), extra: 1 }), expect.stringContaining("extra")],
  [JSON.stringify(file({ ...persona, systemPrompt: "x".repeat(20_001) })), expect.stringContaining("20,000")],
  [JSON.stringify(file(...Array(101).fill(persona))), "personas: Import at most 100 personas at once."],
])("refuses %.60s", (json, message) => {
  expect(() => importPersonaText(test.actors.member, json)).toThrow(
    expect.objectContaining({ code: "invalid", message }),
  );
  expect(listPersonas(test.actors.admin)).toEqual([]);
});

it("is not for viewers", () => {
  expect(() => importPersonas(test.actors.viewer, file(persona))).toThrow(
    expect.objectContaining({ code: "forbidden" }),
  );
});

const defaults = { mode: "default", approval: "default", visibility: "own" };
it.each([
  [
    "models of Open WebUI",
    [
      {
        id: "pirate",
        base_model_id: "llama3:8b",
        name: "Pirate",
        params: { system: "Talk like a pirate.", temperature: 1 },
        meta: { description: "Arr", toolIds: ["weather"] },
        user_id: "1",
      },
      { id: "old", name: "Cook", info: { base_model_id: null, params: {}, meta: null } },
    ],
    [
      { name: "Pirate", systemPrompt: "Talk like a pirate.", defaultModel: "llama3:8b", tools: [] },
      { name: "Cook", systemPrompt: "", defaultModel: "gpt-4o", tools: [] },
    ],
    ["weather"],
  ],
  [
    "a preset of LibreChat",
    {
      presetId: "1",
      title: "Editor",
      endpoint: "openAI",
      model: "gpt-4o-mini",
      promptPrefix: "Edit.",
      tools: 1,
    },
    [{ name: "Editor", systemPrompt: "Edit.", defaultModel: "gpt-4o-mini" }],
    [],
  ],
  [
    "an agent of LibreChat",
    { id: "agent_1", name: "Coder", instructions: "Code.", model: "", tools: ["dalle"] },
    [{ name: "Coder", systemPrompt: "Code.", defaultModel: "gpt-4o" }],
    ["dalle"],
  ],
])("imports %s", (_, value, personas, missingTools) => {
  expect(importPersonaText(test.actors.member, JSON.stringify(value))).toMatchObject({
    personas: personas.map((one) => ({ ...defaults, ...one })),
    missingTools,
  });
});

it("refuses a file with something else among another chat's personas", () => {
  const [preset, other] = [{ title: "A", promptPrefix: "B" }, { title: "C" }];
  expect(() => importPersonaText(test.actors.member, JSON.stringify([preset, other]))).toThrow(
    expect.objectContaining({ code: "invalid" }),
  );
  expect(listPersonas(test.actors.admin)).toEqual([]);
});
