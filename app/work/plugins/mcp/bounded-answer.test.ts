import { expect, it } from "vitest";
import { boundAnswer } from "./bounded-answer.server";

const read = (text: string) => boundAnswer(new Response(text), "Lab").text();

it("fails at an answer of too many values or too great a depth, also in an event stream", async () => {
  const many = "Lab sent an answer that contains more than 40000 values.";
  const empty = `{"result":{"tools":[${Array(50_000).fill("{}").join()}]}}`;
  await expect(read(empty)).rejects.toThrow(many);
  // A comment of an event stream that would begin a string.
  await expect(read(`: "\ndata: ${empty}\n\n`)).rejects.toThrow(many);
  await expect(read(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`)).rejects.toThrow("deeper than 64 levels");
});

it("passes on a long text of what would separate values", async () => {
  const long = JSON.stringify({ text: '\\"[{,'.repeat(100_000) });
  expect(await read(long)).toBe(long);
});
