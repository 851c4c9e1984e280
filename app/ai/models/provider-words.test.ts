import { expect, it } from "vitest";
import { ProviderHttpError } from "./provider-errors.server";
import { wordsOf } from "./provider-words";

const refused = (body: string, status = 400) => new ProviderHttpError(status, body, new Headers());

it.each([
  ['{"error":{"message":"max_tokens is\\n too large"}}', "max_tokens is too large"],
  ["plain words", "plain words"],
  ["<html><body>Bad gateway</body></html>", undefined],
  ["{}", undefined],
  ["", undefined],
  ['{"error":{"message":"Incorrect API key provided: sk-proj-abcdefgh1234"}}', "Incorrect [redacted]"],
  ['{"error":{"message":"Incorrect API key provided: sk-abcde*****wxyz."}}', "Incorrect [redacted]"],
  ['{"error":{"message":"Bearer abcdefghijkl is unknown"}}', "[redacted] is unknown"],
  ['{"error":{"message":"Incorrect API key provided: abcd1234efgh5678ijkl."}}', "Incorrect [redacted]"],
  ['{"error":{"message":"API key abcdefgh12345678 is not valid"}}', "[redacted] is not valid"],
  [
    '{"error":{"message":"no route to postgres://litellm:s3cretpass@10.0.0.4/db"}}',
    "no route to postgres:[redacted]10.0.0.4/db",
  ],
])("of %s are %s", (body, words) => {
  const said = wordsOf(refused(body));
  expect(said).toBe(words);
});

it.each([401, 407, 500, 502])("aren't shown for status %d", (status) => {
  expect(wordsOf(refused('{"error":{"message":"pg_hba.conf rejects host"}}', status))).toBeUndefined();
});

it("come from an error within a stream, too, and from nothing else", () => {
  expect(wordsOf({ type: "overloaded_error", message: "Overloaded" })).toBe("Overloaded");
  expect(wordsOf(new Error("the prompt"))).toBeUndefined();
});

it("are cut", () => {
  expect(wordsOf(refused(JSON.stringify({ error: { message: "word ".repeat(1000) } })))).toHaveLength(501);
});
