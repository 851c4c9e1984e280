import { afterEach, beforeEach, expect, it } from "vitest";
import { db } from "~/core/db.server";
import { workflowRuns, workflows } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { keepResultFile, openResultFile } from "./result-files.service.server";
import { resultFilesOf } from "./result-files.shared";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

function addRun(): void {
  const base = { orgId: ORG_ID, createdAt: 1, updatedAt: 1 };
  const workflow = { name: "Draw", description: "", enabled: true, version: 1, createdBy: "usr_owner" };
  db()
    .insert(workflows)
    .values({ ...base, ...workflow, id: "wfl_1", runsAs: "usr_owner" })
    .run();
  const run = {
    workflowId: "wfl_1",
    version: 1,
    state: "running",
    triggerId: "t",
    triggerType: "manual",
  } as const;
  db()
    .insert(workflowRuns)
    .values({ ...base, ...run, id: "run_1", payload: {} })
    .run();
}

it("keeps a file of a run for those who see its data, until the run is deleted", async () => {
  addRun();
  const source = { kind: "workflow", workflowId: "wfl_1", runId: "run_1" } as const;
  const file = await keepResultFile(test.actors.owner, source, {
    name: "../a/report\u0000.html",
    bytes: Buffer.from("<script>alert(1)</script>"),
  });
  expect(file).toMatchObject({ name: ".._a_report_.html", mediaType: "application/octet-stream", size: 25 });
  const id = file?.id ?? "";
  expect(openResultFile(test.actors.member, id).size).toBe(25);
  expect(() => openResultFile(test.actors.viewer, id)).toThrow(/not found/);
  expect(() => openResultFile({ ...test.actors.member, orgId: "org_other" }, id)).toThrow(/not found/);
  db().delete(workflowRuns).run();
  expect(() => openResultFile(test.actors.member, id)).toThrow(/not found/);
});

it.each([
  ["application/pdf", "%PDF-1.7", "application/pdf"],
  ["Text/CSV; charset=utf-8", "a,b", "text/csv"],
  ["text/html", "<script>", "application/octet-stream"],
  ["application/xhtml+xml", "<html>", "application/octet-stream"],
  ["image/svg+xml", "no picture", "application/octet-stream"],
  ["image/png", "no picture", "application/octet-stream"],
  ["application/pdf\r\nX-Evil: 1", "%PDF-1.7", "application/octet-stream"],
  [undefined, "a", "application/octet-stream"],
])("keeps a file named %s as such unless a browser would show it", async (type, text, mediaType) => {
  addRun();
  const file = { name: "a", type, bytes: Buffer.from(text) };
  const kept = await keepResultFile(test.actors.owner, { kind: "workflow", runId: "run_1" }, file);
  expect(kept?.mediaType).toBe(mediaType);
});

it("keeps at most 100 MB of a run", async () => {
  addRun();
  const source = { kind: "workflow", runId: "run_1" } as const;
  const keep = () =>
    keepResultFile(test.actors.owner, source, { name: "a", bytes: Buffer.alloc(4_000_000, "a") });
  for (let files = 0; files < 25; files++) expect(await keep()).toBeDefined();
  expect(await keep()).toBeUndefined();
});

it("keeps nothing for a trial, whose run isn't stored, and nothing too large", async () => {
  const file = { name: "a", bytes: Buffer.from("a") };
  expect(
    await keepResultFile(test.actors.owner, { kind: "workflow", runId: "run_trial" }, file),
  ).toBeUndefined();
  addRun();
  const large = { name: "a", bytes: Buffer.alloc(4_000_001) };
  expect(
    await keepResultFile(test.actors.owner, { kind: "workflow", runId: "run_1" }, large),
  ).toBeUndefined();
});

it("reads a result's files as stored, ignoring other names in the result", () => {
  const file = { id: "tfl_1", name: "a.png", mediaType: "image/png", size: 1 };
  const hostile = ["https://evil.example/a.png", "tfl_1/../../secret", "", 7].map((id) => ({ ...file, id }));
  expect(resultFilesOf({ files: [...hostile, null, file] })).toEqual([file]);
  expect([null, "x", {}, { files: 7 }].flatMap(resultFilesOf)).toEqual([]);
});
