import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addText, countRows } from "../../../../tests/support/knowledge";
import { ragStatus } from "../rag-status.service.server";
import { markAllForCheck, runBuilder } from "./builder.server";
import { indexVersion } from "./index-version.server";

const extension = vi.hoisted(() => ({ broken: false }));
vi.mock("sqlite-vec", async (original) => {
  const real = await original<typeof import("sqlite-vec")>();
  return {
    ...real,
    load: (raw: Parameters<typeof real.load>[0]) => {
      if (extension.broken) throw new Error("no such file for this platform");
      real.load(raw);
    },
  };
});

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  extension.broken = true;
  test = openTestDatabase();
  markAllForCheck();
});
afterEach(() => test.close());

it("indexes keywords without vector support, and adds vectors once it is available", async () => {
  const { signal } = new AbortController();
  const { chunks } = await indexVersion({ orgId: ORG_ID, ...addText("Ships", 10) });
  await runBuilder(signal);
  expect(countRows()).toMatchObject({ chunks, terms: chunks, entries: 0, points: 0 });
  expect(ragStatus(test.actors.viewer)).toMatchObject({
    vectorExtension: { ok: false },
    storeProblem: expect.stringContaining("keywords only"),
  });

  extension.broken = false;
  const { name } = rawDatabase();
  closeDatabase();
  setDatabase(openConnection(name));
  markAllForCheck();
  await runBuilder(signal);
  expect(countRows()).toEqual({
    chunks,
    terms: chunks,
    embeddings: chunks,
    entries: chunks,
    points: chunks,
  });
  expect(ragStatus(test.actors.viewer).vectorExtension.ok).toBe(true);
});
