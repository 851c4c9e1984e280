import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../../../tests/support/database";
import { copyOutput, openOutput, readJson, readOutput, roundsLimit, storeOutput } from "./outputs.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

it("stores a large output in a file, and gives later steps its beginning", async () => {
  const output = "x".repeat(300_000);
  const stored = await storeOutput("run_1", "loop[0].step", output);
  expect(readOutput("run_1", stored)).toEqual({
    truncated: true,
    bytes: 300_002,
    url: "/api/runs/run_1/steps/loop%5B0%5D.step/output",
    head: expect.stringMatching(/^"x{1999}$/),
  });
  expect(JSON.parse(String(await readJson("run_1", stored)))).toBe(output);
  const copied = await copyOutput({ runId: "run_1", output: stored }, { runId: "run_2", key: "call" });
  expect(copied).toMatchObject({ ...(stored as object), key: "call", $file: expect.any(String) });
  expect(JSON.parse(String(await readJson("run_2", copied)))).toBe(output);
  const file = await openOutput("run_1", stored);
  expect(file && JSON.parse(file.toString())).toBe(output);
  expect(await openOutput("run_1", { $file: "../quarterdeck.sqlite", bytes: 1, head: "" })).toBeUndefined();
});

it("refuses an output of 50 MB", async () => {
  await expect(storeOutput("run_1", "step", "x".repeat(49_999_000))).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringContaining("50 MB"),
  });
});

it("doesn't take a value for a reference to a file", async () => {
  const value = { $file: "out_1.json", bytes: 1 };
  const json = await readJson("run_1", await storeOutput("run_1", "step", value));
  expect(JSON.parse(String(json))).toEqual(value);
});

it("limits what a loop's rounds return together, as one output", () => {
  const add = roundsLimit();
  const round = "x".repeat(4_999_990);
  for (const output of [round, round, round, round]) expect(add(output)).toBeUndefined();
  expect(add("and some more of it".repeat(10))?.message).toBe(
    "The outputs of the rounds have 21 MB; at most 20 MB are allowed. Return less data.",
  );
});
