import { expect, it } from "vitest";
import { ProviderHttpError } from "./provider-errors.server";
import { wordsOf } from "./provider-words";

const refused = (body: string) => new ProviderHttpError(400, body, new Headers());

it.each([
  ['{"error":{"message":"max_tokens is\\n too large"}}', "max_tokens is too large"],
  ["plain words", "plain words"],
  ["<html><body>Bad gateway</body></html>", undefined],
  ["{}", undefined],
  ["", undefined],
  [
    '{"error":{"message":"Incorrect API key provided: sk-proj-abcdefgh1234"}}',
    /^Incorrect API key provided: \[redacted\]$/,
  ],
  [
    '{"error":{"message":"Incorrect API key provided: sk-abcde*****wxyz."}}',
    /^Incorrect API key provided: \[redacted\]/,
  ],
  ['{"error":{"message":"Bearer abcdefghijkl is unknown"}}', "[redacted] is unknown"],
])("of %s are %s", (body, words) => {
  const said = wordsOf(refused(body));
  if (words instanceof RegExp) expect(said).toMatch(words);
  else expect(said).toBe(words);
});

it("come from an error within a stream, too, and from nothing else", () => {
  expect(wordsOf({ type: "overloaded_error", message: "Overloaded" })).toBe("Overloaded");
  expect(wordsOf(new Error("the prompt"))).toBeUndefined();
});

it("are cut", () => {
  expect(wordsOf(refused(JSON.stringify({ error: { message: "word ".repeat(1000) } })))).toHaveLength(501);
});
