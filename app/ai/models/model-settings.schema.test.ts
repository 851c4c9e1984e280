import { parseWithZod } from "@conform-to/zod/v4";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { CustomModelForm, ModelForm, type ModelPatch } from "./model-settings.schema";

/** Posts fields as a browser would: every one of them, empty ones too. */
function post<S extends z.ZodType>(schema: S, fields: [string, string][]) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const submission = parseWithZod(form, { schema });
  return submission.status === "success" ? { value: submission.value } : { errors: submission.error };
}

const EMPTY_ROWS: [string, string][] = Array.from({ length: 5 }, (_, row) => [
  [`routing.targets[${row}].providerId`, ""] as [string, string],
  [`routing.targets[${row}].model`, ""] as [string, string],
]).flat();

const ROUTING: [string, string][] = [["routing.policy", ""], ["routing.fallbacks", ""], ...EMPTY_ROWS];

const UNCHANGED: [string, string][] = [
  ["name", ""],
  ["description", ""],
  ["maxTokens", ""],
  ["cost.input", ""],
  ["cost.output", ""],
  ["shownCapabilities", "text,vision"],
  ["capabilities", "text"],
  ["capabilities", "vision"],
];

const without = (fields: [string, string][], ...names: string[]) =>
  fields.filter(([name]) => !names.includes(name));

describe("the form that changes a model", () => {
  it("takes a price of search units alone, and then has none for tokens", () => {
    const price: [string, string] = ["cost.searchUnits", "2"];
    const { value } = post(ModelForm, [...UNCHANGED, ...ROUTING, price]) as { value: ModelPatch };
    expect(value.cost).toEqual({ input: 0, output: 0, searchUnits: 2 });
  });

  it("resets empty fields and keeps unchanged capabilities", () => {
    expect(post(ModelForm, [...UNCHANGED, ...ROUTING])).toEqual({
      value: {
        name: null,
        description: null,
        maxTokens: null,
        cost: null,
        hidden: false,
        recommended: null,
        routing: null,
      },
    });
  });

  it("sets what is filled in", () => {
    const fields = without(UNCHANGED, "name", "cost.input", "cost.output", "capabilities");
    const { value } = post(ModelForm, [
      ...fields,
      ["name", "Best of ours"],
      ["cost.input", "0.002"],
      ["cost.output", "0"],
      ["capabilities", "code"],
      ["hidden", "on"],
      ["recommended", "on"],
      ["routing.policy", "fastest"],
      ["routing.fallbacks", "gpt-4o\r\n\r\n claude-sonnet-4-5 "],
      ["routing.targets[0].providerId", "prv_1"],
      ["routing.targets[0].model", "best-7b"],
      ["routing.targets[1].providerId", ""],
      ["routing.targets[1].model", ""],
      ["routing.targets[2].providerId", "prv_2"],
      ["routing.targets[2].model", "vendor/best"],
    ]);
    expect(value).toMatchObject({
      name: "Best of ours",
      cost: { input: 0.002, output: 0 },
      capabilities: ["code"],
      hidden: true,
      recommended: true,
      routing: {
        policy: "fastest",
        fallbacks: ["gpt-4o", "claude-sonnet-4-5"],
        targets: [
          { providerId: "prv_1", model: "best-7b" },
          { providerId: "prv_2", model: "vendor/best" },
        ],
      },
    });
  });

  it.each([
    ["", "", null],
    ["on", "on", null],
    ["", "on", true],
    ["on", "", false],
  ])("follows the catalogue's recommendation (%j) where %j is what it says", (recommended, ticked, kept) => {
    const sent: [string, string][] = ticked ? [["recommended", ticked]] : [];
    const { value } = post(ModelForm, [
      ...UNCHANGED,
      ...ROUTING,
      ["listedRecommended", recommended],
      ...sent,
    ]);
    expect(value).toMatchObject({ recommended: kept });
    expect(value).not.toHaveProperty("listedRecommended");
  });

  it("takes capabilities back to what is known when none is ticked", () => {
    const { value } = post(ModelForm, [...without(UNCHANGED, "capabilities"), ...ROUTING]);
    expect(value).toMatchObject({ capabilities: null });
  });

  it.each([
    ["a price alone", [["cost.input", "0.5"]], "cost.output", "Enter both prices, or leave both blank"],
    [
      "a price that is no number",
      [
        ["cost.input", "dear"],
        ["cost.output", "1"],
      ],
      "cost.input",
      "Enter a price in dollars",
    ],
    [
      "a provider without an id",
      [["routing.targets[1].providerId", "prv_1"]],
      "routing.targets[1].model",
      "Enter the provider's model ID",
    ],
    [
      "an id without a provider",
      [["routing.targets[1].model", "x"]],
      "routing.targets[1].providerId",
      "Choose a provider",
    ],
    ["half a token", [["maxTokens", "0.5"]], "maxTokens", "Enter a whole number"],
  ] satisfies [string, [string, string][], string, string][])(
    "refuses %s beside its field",
    (_, change, field, message) => {
      const rest = without([...UNCHANGED, ...ROUTING], ...change.map(([name]) => name));
      expect(post(ModelForm, [...rest, ...change]).errors?.[field]).toContain(message);
    },
  );
});

describe("the form of a custom model", () => {
  const BLANK: [string, string][] = [
    ["provider", ""],
    ["description", ""],
    ["maxTokens", "many"],
    ["cost.input", ""],
    ["cost.output", ""],
  ];

  it("needs an id and a name, and leaves the rest to its defaults", () => {
    expect(post(CustomModelForm, [["id", ""], ["name", " "], ...BLANK, ...ROUTING]).errors).toMatchObject({
      id: ["Enter the model's ID"],
      name: ["Enter the model's name"],
    });
    const { value } = post(CustomModelForm, [["id", "own"], ["name", "Own"], ...BLANK, ...ROUTING]);
    expect(value).toEqual({ id: "own", name: "Own", cost: {}, capabilities: [], routing: null });
  });
});
