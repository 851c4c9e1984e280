import { afterEach, beforeEach, expect, it } from "vitest";
import { db, transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { Postponed } from "~/platform/jobs/job-kind.service.server";
import { getDocument } from "~/work/documents/documents.service.server";
import type { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona, listPersonas, updatePersona } from "~/work/personas/personas.service.server";
import { pageRuns, readRun, startWorkflows } from "~/work/workflows/runs.service.server";
import { listWorkflowNames, updateWorkflow } from "~/work/workflows/workflows.service.server";
import { documents, jobs, usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import {
  addSamples,
  readSampleOffer,
  removeSamples,
  runSampleWorkflows,
  sampleIds,
} from "./samples.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void> = async () => undefined;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await stop();
  stop = async () => undefined;
  test.close();
});

const markReady = () => transaction((tx) => tx.update(documents).set({ status: "ready" }).run());
const addedAt = () => {
  const row = db()
    .select()
    .from(jobs)
    .all()
    .find(({ kind }) => kind === "samples.run");
  return (row?.input as { addedAt: number } | undefined)?.addedAt ?? 0;
};
const kinds = (actor = test.actors.admin) =>
  listAudit(actor, { limit: 50 }).entries.map(({ action }) => action);

it("fills an empty console, and says so in the trail", () => {
  const { admin, member } = test.actors;
  expect(readSampleOffer(admin)).toEqual({ team: null });
  expect(readSampleOffer(member)).toBeUndefined();
  expect(() => addSamples(member)).toThrow(expect.objectContaining({ code: "forbidden" }));
  addSamples(admin);
  expect(sampleIds(member)).toHaveLength(10);
  expect(readSampleOffer(admin)?.team).toMatchObject({ changed: [] });
  expect(() => addSamples(admin)).toThrow("The sample team is there already.");
  expect(kinds()[0]).toBe("samples.added");
  expect(new Set(kinds())).toEqual(
    new Set(["samples.added", "workflow.created", "persona.created", "document.queued"]),
  );
  expect(db().select().from(usageRecords).all()).toEqual([]);
});

it("is offered to an empty console alone", () => {
  const { admin } = test.actors;
  createPersona(admin, { ...PERSONA, name: "Own" });
  expect(readSampleOffer(admin)).toBeUndefined();
  expect(() => addSamples(admin)).toThrow(/empty console/);
});

it("runs its workflows once, on the built-in model, when the documents are ready", async () => {
  const { admin } = test.actors;
  stop = startWorkflows();
  addSamples(admin);
  await expect(runSampleWorkflows(admin, addedAt())).rejects.toThrow(Postponed);
  markReady();
  await runSampleWorkflows(admin, addedAt());
  await runSampleWorkflows(admin, addedAt());
  const states = () =>
    pageRuns(admin, { limit: 20 })
      .runs.map(({ state }) => state)
      .sort();
  await expect.poll(states).toEqual(["succeeded", "succeeded", "succeeded", "succeeded", "waiting"]);
  const sorted = pageRuns(admin, { limit: 20 }).runs.filter(({ workflowName }) =>
    workflowName?.startsWith("Sort"),
  );
  const results = sorted.map(({ id }) => JSON.stringify(readRun(admin, id).output ?? null)).sort();
  expect(results).toEqual(['"mailbox"', '"phone"']);
  removeSamples(admin, { withChanged: false });
  expect(pageRuns(admin, { limit: 20 }).runs).toEqual([]);
  await runSampleWorkflows(admin, addedAt());
});

const PERSONA: PersonaInput = {
  name: "",
  systemPrompt: "",
  defaultModel: "gpt-4o",
  mode: "default",
  tools: [],
  reasoningEffort: "default",
  approval: "default",
  visibility: "everyone",
  skills: [],
  assistants: [],
  assistantSteps: 3,
  assistantBudget: 0.1,
  groups: [],
};

it("removes itself alone, and leaves what a person changed", () => {
  const { admin, member } = test.actors;
  addSamples(admin);
  const { team } = readSampleOffer(admin) ?? {};
  const own = createPersona(member, { ...PERSONA, name: "Own" });
  updatePersona(member, team?.personas[0] ?? "", { systemPrompt: "Mine now." });
  updateWorkflow(member, team?.workflows[1] ?? "", { description: "Mine as well." });
  const changed = ["Sort incoming messages", "Rider support (sample)"];
  expect(readSampleOffer(admin)?.team?.changed).toEqual(changed);
  expect(() => removeSamples(member, { withChanged: false })).toThrow(
    expect.objectContaining({ code: "forbidden" }),
  );
  expect(removeSamples(admin, { withChanged: false })).toEqual({ removed: 8, kept: changed });
  expect(
    listPersonas(admin)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([own.id, team?.personas[0]].sort());
  expect(listWorkflowNames(admin).map(({ id }) => id)).toEqual([team?.workflows[1]]);
  expect(() => getDocument(admin, team?.documents[0] ?? "")).toThrow(/not found/i);
  expect([sampleIds(admin), readSampleOffer(admin)]).toEqual([[], undefined]);
  expect(kinds()[0]).toBe("samples.removed");
});

it("removes what was changed as well, where that is asked for", () => {
  const { admin } = test.actors;
  addSamples(admin);
  const { team } = readSampleOffer(admin) ?? {};
  updatePersona(admin, team?.personas[0] ?? "", { systemPrompt: "Mine now." });
  expect(removeSamples(admin, { withChanged: true })).toEqual({ removed: 10, kept: [] });
  expect(readSampleOffer(admin)).toEqual({ team: null });
});
