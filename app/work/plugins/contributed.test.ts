import { afterEach, beforeEach, expect, it } from "vitest";
import { deletePrompt, pagePrompts, readPrompt, updatePrompt } from "~/work/prompts/prompts.service.server";
import { readBuilder } from "~/work/workflows/builder.service.server";
import { engine } from "~/work/workflows/engine/local-engine.server";
import { listTemplates } from "~/work/workflows/exchange.service.server";
import { readRun, runWorkflow, startWorkflows } from "~/work/workflows/runs.service.server";
import { describeWorkflow } from "~/work/workflows/screen.service.server";
import { createWorkflow, readWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { offerContributions } from "./contributed.service.server";
import { configurePlugin, installPlugin } from "./install.service.server";
import { startPlugins } from "./plugin-tools.service.server";

const INACTIVE = "Diagram Maker is inactive. An admin can enable it under Extensions.";

let test: ReturnType<typeof openTestDatabase>;
let stop: (() => unknown)[];
beforeEach(() => {
  test = openTestDatabase();
  stop = [startPlugins(), offerContributions(), startWorkflows()];
});
afterEach(async () => {
  for (const end of stop) await end();
  test.close();
});

const switchTo = (enabled: boolean) => configurePlugin(test.actors.admin, "diagram-maker", { enabled });
const prompts = (query = {}) =>
  pagePrompts(test.actors.viewer, { find: "", limit: 50, ...query }).then((page) =>
    page.prompts.map(({ name }) => name),
  );
const types = () =>
  readBuilder(test.actors.member, {}).types.filter(({ type }) => type === "diagram-maker.chart");
const templates = () =>
  listTemplates(test.actors.member).flatMap(({ id, from }) => (from ? [`${id} of ${from}`] : []));

it("offers a plugin's prompts, steps and templates while it is active", async () => {
  const { admin, viewer } = test.actors;
  expect(await prompts()).toEqual([]);
  expect(types()[0]?.unavailable).toBe(
    `Step "Draw Chart" can't be used. The plugin Diagram Maker isn't installed. An admin can install it under Extensions.`,
  );
  installPlugin(admin, "diagram-maker");
  installPlugin(admin, "document-translator");
  expect(await prompts()).toEqual(["Draw a chart", "Translate text"]);
  expect(await prompts({ find: "LANGUAGE" })).toEqual(["Translate text"]);
  expect(readPrompt(viewer, "diagram-maker:chart")).toMatchObject({
    author: { id: "diagram-maker", name: "Diagram Maker" },
    canEdit: false,
    shared: true,
    variables: [{ name: "type", fallback: "bar" }, { name: "data" }],
  });
  for (const change of [
    () => updatePrompt(admin, "diagram-maker:chart", { name: "Mine" }),
    () => deletePrompt(admin, "diagram-maker:chart"),
  ])
    expect(change).toThrow("This prompt comes from the plugin Diagram Maker and can't be changed.");
  const { next } = await pagePrompts(viewer, { find: "", limit: 1 });
  expect(await prompts({ limit: 1, cursor: next })).toEqual(["Translate text"]);
  expect(types()).toMatchObject([{ label: "Draw Chart", fields: [{ name: "title" }, {}, {}, {}] }]);
  expect(types()[0]).not.toHaveProperty("unavailable");
  expect(templates()).toContain("diagram-maker.chart-a-query of Diagram Maker");
  switchTo(false);
  expect(await prompts()).toEqual(["Translate text"]);
  expect(() => readPrompt(viewer, "diagram-maker:chart")).toThrow(`This prompt can't be used. ${INACTIVE}`);
  expect(types()[0]?.unavailable).toContain(INACTIVE);
  expect(templates()).toEqual(["document-translator.translate-messages of Document Translator"]);
});

it("offers nothing of an active plugin that brings tools only", async () => {
  const before = { templates: listTemplates(test.actors.member).length, prompts: await prompts() };
  installPlugin(test.actors.admin, "calculator");
  expect({ templates: listTemplates(test.actors.member).length, prompts: await prompts() }).toEqual(before);
});

it("runs a template's step and reports a disabled plugin", async () => {
  const { admin, member } = test.actors;
  installPlugin(admin, "diagram-maker");
  const { draft } = readBuilder(member, { template: "diagram-maker.chart-a-query" });
  const { name, description, triggers, steps, connections } = draft;
  const parts = { name, description, triggers, steps, connections } as Parameters<typeof createWorkflow>[1];
  const { id } = createWorkflow(member, parts);
  const run = async () => {
    const started = await runWorkflow(member, id, {});
    await engine().ended(started.id, AbortSignal.timeout(20_000));
    return readRun(member, started.id);
  };
  const done = await run();
  expect([done.error, done.state]).toEqual([null, "succeeded"]);
  expect(done.steps.at(-1)?.output).toMatchObject({
    columns: { label: "name", values: ["amount"] },
    rows: 2,
  });
  switchTo(false);
  const [missing] = describeWorkflow(member, readWorkflow(member, id)).missing;
  expect(missing).toBe(`Step "Draw Chart" can't be used. ${INACTIVE}`);
  expect((await run()).error).toBe(
    `Draw Chart (chart): Tool "diagram-maker.chart" can't be used. ${INACTIVE}`,
  );
});
