import { afterAll, expect, it } from "vitest";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { toQuestion } from "./elicitation";

const form = (properties: Record<string, unknown>, required?: string[]) =>
  toQuestion("Lab", { message: "Who?", requestedSchema: { type: "object", properties, required } });
const fieldOf = async (schema: unknown) => (await form({ it: schema })).fields?.[0];

afterAll(closeWorkerPools);

it.each([
  [
    { type: "string", title: "Name", minLength: 2, maxLength: 9 },
    { kind: "text", label: "Name", min: 2, max: 9 },
  ],
  [
    { type: "string", format: "email" },
    { kind: "text", format: "email", max: 10_000 },
  ],
  [
    { type: "string", pattern: "^[A-Z]{3}$", default: "EUR" },
    { kind: "text", pattern: "^[A-Z]{3}$", default: "EUR" },
  ],
  [
    { type: "string", format: "phone" },
    { kind: "text", label: "it" },
  ],
  [
    { type: "integer", minimum: 1, maximum: 9, default: 4 },
    { kind: "integer", min: 1, max: 9, default: 4 },
  ],
  [
    { type: "number", description: "In m" },
    { kind: "number", hint: "In m" },
  ],
  [
    { type: "boolean", default: false },
    { kind: "boolean", default: false },
  ],
  [
    { type: "string", enum: ["a", "b", ""], enumNames: ["A", "B"], default: "b" },
    {
      kind: "choice",
      options: [
        { value: "a", label: "A" },
        { value: "b", label: "B" },
      ],
      default: "b",
    },
  ],
  [
    { type: "string", oneOf: [{ const: "a", title: "A" }] },
    { kind: "choice", options: [{ value: "a", label: "A" }] },
  ],
  [
    { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b"] }, default: ["a"] },
    { kind: "choices", min: 1, max: 2, default: ["a"] },
  ],
  [
    { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
    { kind: "choices", options: [{ value: "a", label: "A" }] },
  ],
])("draws %j", async (schema, field) => {
  expect(await fieldOf(schema)).toMatchObject({ name: "it", required: false, ...field });
});

it("keeps the order, and says which values are required", async () => {
  const { fields } = await form({ b: { type: "string" }, a: { type: "boolean" } }, ["a"]);
  expect(fields?.map(({ name, required }) => [name, required])).toEqual([
    ["b", false],
    ["a", true],
  ]);
});

it("leaves out a default that its own field wouldn't take", async () => {
  expect(await fieldOf({ type: "integer", maximum: 3, default: 4 })).not.toHaveProperty("default");
  expect(await fieldOf({ type: "string", enum: ["a"], default: "b" })).not.toHaveProperty("default");
  expect(await fieldOf({ type: "boolean", default: "yes" })).not.toHaveProperty("default");
  const shouted = { type: "string", pattern: "^[A-Z]{3}$", default: "eur" };
  expect(await fieldOf(shouted)).not.toHaveProperty("default");
});

it("shows texts without invisible characters, cut", async () => {
  const question = await toQuestion("Lab", {
    message: `Who\u202e?${"x".repeat(3000)}`,
    requestedSchema: {
      type: "object",
      properties: { a: { type: "string", title: "\u200bName", description: "y".repeat(900) } },
    },
  });
  expect(question.message).toHaveLength(2000);
  expect(question.message).toMatch(/^Who\?x/);
  expect(question.fields?.[0]).toMatchObject({ label: "Name" });
  expect(question.fields?.[0]?.hint).toHaveLength(500);
});

const many = (count: number, one: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, one]));

it.each([
  ["nested objects", { it: { type: "object", properties: {} } }, "in a form that isn't supported"],
  ["free lists", { it: { type: "array", items: { type: "string" } } }, "in a form that isn't supported"],
  ["no options", { it: { type: "string", enum: [""] } }, "without options"],
  [
    "too many options",
    { it: { type: "string", enum: Array(101).fill("a") } },
    "in a form that isn't supported",
  ],
  ["too many values", many(31, { type: "string" }), "asked for 31 values"],
  ["a long pattern", { it: { type: "string", pattern: "a".repeat(501) } }, "in a form that isn't supported"],
  ["no schema", { it: 7 }, "in a form that isn't supported"],
])("refuses %s", async (_, properties, message) => {
  await expect(form(properties)).rejects.toThrow(message);
});

it.each([{}, null, { message: "x" }, { message: 1, requestedSchema: { type: "object", properties: {} } }])(
  "refuses the request %j",
  (params) => expect(toQuestion("Lab", params)).rejects.toThrow("Lab asked a question that isn't valid."),
);

const open = (url: string) => toQuestion("Lab", { mode: "url", message: "Sign in", url, elicitationId: "1" });

it("takes links that are https, or of this machine", async () => {
  expect(await open("https://bank.example/pay?a=1")).toEqual({
    asker: "Lab",
    message: "Sign in",
    url: "https://bank.example/pay?a=1",
  });
  expect((await open("http://127.0.0.1:8080/x")).url).toBe("http://127.0.0.1:8080/x");
});

it.each([
  "http://bank.example/",
  "javascript:alert(1)",
  "data:text/html,x",
  "https://bank.example@evil.example/",
  "http://127.0.0.1.evil.example/",
  "no link",
])("refuses the link %s", async (url) => {
  await expect(open(url)).rejects.toThrow("Lab asked to open a link");
});
