import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../../tests/support/database";
import { importPrompts } from "./import-prompts.service.server";
import { pagePrompts } from "./prompts.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const add = (value: unknown) => importPrompts(test.actors.member, JSON.stringify(value));
const textsOf = (value: unknown) => add(value).prompts.map(({ name, text, shared }) => [name, text, shared]);

it.each([
  [
    "Open WebUI",
    [
      { command: "/sum", title: "Sum up", content: "Sum up {{text | textarea:required}}.", user_id: "1" },
      { command: "/tone", name: "", content: '{{tone | select:options=["a"]:default="calm"}} {{CLIPBOARD}}' },
    ],
    [
      ["Sum up", "Sum up {{text}}.", false],
      ["tone", "{{tone=calm}} {{CLIPBOARD}}", false],
    ],
  ],
  [
    "LibreChat",
    {
      promptGroups: [
        { name: "Mail", productionPrompt: { prompt: "Write in {{tone: calm | loud}}" }, _id: "1" },
      ],
    },
    [["Mail", "Write in {{tone=calm}}", false]],
  ],
  ["this console's API", [{ name: "A\nb", text: "{{x=1}}", shared: true }], [["A b", "{{x=1}}", false]]],
])("imports prompts of %s", (_, value, prompts) => {
  expect(textsOf(value)).toEqual(prompts);
});

it("leaves out those that one has already", () => {
  const prompts = [{ name: "A", text: "1" }];
  add(prompts);
  expect(add([...prompts, { name: "A", text: "2" }])).toMatchObject({ prompts: [{ text: "2" }], present: 1 });
});

it.each([
  ["{", "Invalid JSON. Paste a complete export."],
  ["1", "Paste a list of prompts."],
  ["[]", "The file has no prompts."],
  ['{"prompts":[]}', "The file has no prompts."],
  ['[{"name":"A"}]', "0.text: Enter a prompt."],
  ['[{"name":"A","text":"a"},{"command":"/","text":"b"}]', "1.name: Enter a name."],
  [JSON.stringify(Array(501).fill({})), "Import at most 500 prompts at once."],
])("refuses %.40s, and adds nothing", async (json, message) => {
  expect(() => importPrompts(test.actors.member, json)).toThrow(
    expect.objectContaining({ code: "invalid", message }),
  );
  expect((await pagePrompts(test.actors.member, { find: "", limit: 10, cursor: undefined })).prompts).toEqual(
    [],
  );
});

it("adds all or none", () => {
  add(Array.from({ length: 499 }, (_, n) => ({ name: `${n}`, text: "x" })));
  const two = ["a", "b"].map((name) => ({ name, text: "x" }));
  expect(() => add(two)).toThrow(expect.objectContaining({ code: "conflict" }));
  expect(add(two.slice(1)).prompts).toHaveLength(1);
});

it("is not for viewers", () => {
  expect(() => importPrompts(test.actors.viewer, "[]")).toThrow(
    expect.objectContaining({ code: "forbidden" }),
  );
});
