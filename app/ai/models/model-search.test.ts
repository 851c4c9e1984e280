import { expect, it } from "vitest";
import type { ModelFacts } from "./model-facts.shared";
import { mayReason, type OfferedModel } from "./model-picker.shared";
import { findModels } from "./model-search";

const MODELS: OfferedModel[] = [
  { id: "alpha-1", name: "Alpha", provider: "Lab" },
  { id: "beta-1", name: "Beta", provider: "House" },
  { id: "gone", name: "Gone", provider: "", available: false },
  { id: "gamma-1", name: "Gamma", provider: "Lab", reasons: true },
];
const FACTS = new Map<string, ModelFacts>([
  ["beta-1", { id: "beta-1", abilities: ["vision"] }],
  ["gamma-1", { id: "gamma-1", abilities: ["function-calling", "reasoning"], recommended: true }],
]);

const idsOf = (query: string) =>
  findModels(MODELS, FACTS, query).groups.map(({ label, models }) => [label, ...models.map(({ id }) => id)]);

it("lists recommended models first, then each provider's, then those that can't be called", () => {
  expect(idsOf("")).toEqual([
    ["Recommended", "gamma-1"],
    ["Lab", "alpha-1"],
    ["House", "beta-1"],
    ["Not available", "gone"],
  ]);
});

it.each([
  ["ALPHA-1", ["Lab", "alpha-1"]],
  ["gamma", ["Recommended", "gamma-1"]],
  ["house", ["House", "beta-1"]],
  ["vision", ["House", "beta-1"]],
  ["lab tools", ["Recommended", "gamma-1"]],
])("finds %s by id, name, provider or ability", (query, found) => {
  expect(idsOf(query)).toEqual([found]);
});

it("needs every word, and says how many it doesn't list", () => {
  expect(findModels(MODELS, FACTS, "lab vision")).toEqual({ groups: [], left: 0 });
  const many = Array.from({ length: 2001 }, (_, at) => ({ id: `m${at}`, name: `M ${at}`, provider: "Lab" }));
  const found = findModels(many, new Map(), "m");
  expect(found.groups.flatMap(({ models }) => models)).toHaveLength(50);
  expect(found.left).toBe(1951);
});

it("an effort may matter to a model that reasons, and to one of which nothing is known", () => {
  const ids = ["alpha-1", "gamma-1", "gone", "never-heard-of"];
  expect(ids.map((id) => mayReason(MODELS, id))).toEqual([false, true, true, true]);
});
