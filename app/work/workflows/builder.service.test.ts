import { afterEach, beforeEach, expect, it } from "vitest";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import {
  BuilderForm,
  changeDraft,
  checkDraft,
  readBuilder,
  runDraft,
  saveDraft,
} from "./builder.service.server";
import { startWorkflows } from "./runs.service.server";
import { readWorkflow, updateWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const form = (draft: object, fields: object = {}) =>
  BuilderForm.parse({ draft: JSON.stringify(draft), view: "canvas", name: "Built", ...fields });
const log = { id: "note", type: "log", config: { level: "info", message: "Hi" } };

it("stores a draft with its audit entry, and its change as the next version", () => {
  const { workflow, created } = saveDraft(test.actors.member, form({ steps: [log] }));
  expect(created).toBe(true);
  expect(listAudit(test.actors.owner, { limit: 5 }).entries[0]?.action).toBe("workflow.created");
  const { draft } = readBuilder(test.actors.member, { id: workflow.id });
  const changed = { ...draft, steps: [...draft.steps, { ...log, id: "again" }] };
  expect(saveDraft(test.actors.member, form(changed)).workflow.version).toBe(2);
  const stale = { ...changed, steps: [log] };
  expect(() => saveDraft(test.actors.member, form(stale))).toThrow("differs in: Steps.");
});

it("runs a disabled workflow with the rights of the person who tries it, and says why one isn't run", async () => {
  const stop = startWorkflows();
  const { member, admin } = test.actors;
  const { workflow } = saveDraft(admin, form({ steps: [log] }));
  updateWorkflow(admin, workflow.id, { enabled: false });
  const { draft } = readBuilder(member, { id: workflow.id });
  const { runId } = await runDraft(member, form(draft));
  const { run, isEnabled } = readBuilder(member, { id: workflow.id, run: runId });
  expect([run?.id, isEnabled]).toEqual([runId, false]);
  expect(readWorkflow(member, workflow.id).runsAs.id).toBe(member.userId);
  const trigger = { id: "go", type: "manual", config: {} };
  expect(await runDraft(member, form({ triggers: [trigger] }))).toMatchObject({
    refusal: expect.stringContaining("has no steps"),
  });
  await stop();
});

it("refuses a draft without a node, and one without a name", () => {
  const save = (draft: object, fields?: object) => () => saveDraft(test.actors.member, form(draft, fields));
  expect(save({})).toThrow("Add at least one node to the workflow");
  expect(save({ steps: [log] }, { name: " " })).toThrow("Workflow name is required");
});

it("checks a draft by field, without its name", () => {
  const empty = { steps: [{ ...log, config: { level: "info", message: "" } }] };
  expect(Object.keys(checkDraft(test.actors.member, form(empty, { name: "" })).problems)).toEqual([
    "steps.0.config.message",
  ]);
  expect(checkDraft(test.actors.member, form({ steps: [log] })).problems).toEqual({});
});

it("changes a draft without storing it, and starts from a template", () => {
  const { draft, facts } = changeDraft(
    test.actors.member,
    form({}, { op: "add.triggers", addTrigger: "schedule" }),
  );
  expect(facts.schedules["0 9 * * * "]).toMatchObject({ sentence: "Every day at 09:00" });
  expect(draft.triggers[0]?.config.cron).toBe("0 9 * * *");
  expect(readBuilder(test.actors.member, { template: "nine-oclock-digest" }).draft.steps).toHaveLength(5);
  expect(() => readBuilder(test.actors.member, { template: "none" })).toThrow(
    "Template not found. Choose another one, or enable its plugin.",
  );
  expect(() => readBuilder(test.actors.viewer, {})).toThrow();
});
