import { afterEach, beforeEach, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { PersonaTrial } from "./personas.schema";
import { streamTrial, tryPersona } from "./try-persona.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const trial = PersonaTrial.parse({ question: "Hello", defaultModel: "quarterdeck-offline" });
const { signal } = new AbortController();
type Chunk = Parameters<Parameters<typeof streamTrial>[3]>[0];

async function chunksOf(actor: Parameters<typeof streamTrial>[0]): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  await streamTrial(actor, trial, signal, (chunk) => chunks.push(chunk));
  return chunks;
}

it("streams the answer that is also given whole, and stores nothing but its usage", async () => {
  const { answer } = await tryPersona(test.actors.member, trial, signal);
  const chunks = await chunksOf(test.actors.member);
  expect(chunks.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : [])).join("")).toBe(answer);
  expect([chunks[0], chunks.at(-1)]).toEqual([
    { type: "start", messageId: expect.any(String), messageMetadata: { model: "quarterdeck-offline" } },
    { type: "finish", messageMetadata: {} },
  ]);
  const count = (table: string) => rawDatabase().prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  expect(["usage_records", "conversations", "audit_entries"].map(count)).toEqual([2, 0, 0]);
});

it("is recorded as stopped if its caller leaves", async () => {
  const left = new AbortController();
  const leave = (chunk: Chunk) => {
    if (chunk.type === "text-delta") left.abort();
  };
  await streamTrial(test.actors.member, trial, left.signal, leave);
  expect(rawDatabase().prepare("SELECT outcome FROM usage_records").pluck().all()).toEqual(["stopped"]);
});

it("ends with the reason if it can't be tried", async () => {
  expect(await chunksOf(test.actors.viewer)).toEqual([
    { type: "error", errorText: "Only members, admins and owners can edit personas." },
    { type: "finish", messageMetadata: {} },
  ]);
});
