import { expect, it } from "vitest";
import { message } from "~/work/chat/components/answer-reducer";
import { rendered } from "../../tests/support/rendered";
import Conversations from "./chat/all";
import Comparison from "./compare/item";
import Dashboard from "./dashboard/page";
import ApiPage from "./docs/api";
import Ratings from "./evaluations/ratings";
import EvaluationRun from "./evaluations/run";
import PublicForm from "./form/page";
import Login from "./login/page";
import { shouldRevalidate } from "./usage/budgets";
import Usage from "./usage/page";
import Run from "./workflows/run";

const links = ({ document }: { document: Document }) =>
  [...document.querySelectorAll("a")].map((link) => [link.textContent, link.getAttribute("href")]);

it("the API's page leads back to the console, or to the sign-in", async () => {
  const page = (isSignedIn: boolean) =>
    rendered(<ApiPage />, { data: { isSignedIn, search: "nothing", topics: [], groups: [] } });
  expect(links(await page(true))[0]).toEqual(["Back to Dashboard", "/"]);
  expect(links(await page(false))[0]).toEqual(["Sign In", "/login"]);
});

it("the sign-in offers the provider and a local account in turn, and keeps where it leads", async () => {
  const page = (provider: string | null, local: boolean) =>
    rendered(<Login />, { data: { provider, local, returnTo: "/rag", error: null, setUp: true } });
  const byProvider = await page("Okta", false);
  expect(links(byProvider).at(-1)).toEqual(["Use a Local Account", "/login?returnTo=%2Frag&local=1"]);
  expect(byProvider.document.querySelector('[name="password"]')).toBeNull();
  const local = await page("Okta", true);
  expect(links(local).at(-1)).toEqual(["Sign In with Okta", "/login?returnTo=%2Frag"]);
  expect(local.document.querySelector('[name="password"]')).not.toBeNull();
  expect((await page(null, true)).text, "without a provider there is no choice").not.toMatch(/Sign In with/);
});

it.each([
  ["organization", "Tokens, spend and errors of the whole organization"],
  ["own", "Your own tokens, spend and errors"],
])("usage of the scope %s is called so", async (scope, subtitle) => {
  const totals = { requests: 0 };
  const usage = { chart: null, groups: [], points: [], scope, totals, unit: "day", narrowed: {} };
  const days = { from: "2026-11-01T00:00:00.000Z", to: "2026-11-27T00:00:00.000Z" };
  const query = { by: "model", metric: "tokens", range: "30d" };
  const more = { ratings: [], mayChat: true, mayBudget: false, nearest: null, budgetWarnings: [] };
  const page = await rendered(<Usage />, { data: { usage: { ...usage, ...days }, query, ...more } });
  expect(page.text).toContain(subtitle);
});

it.each([
  [{ deleted: true }, "No recently deleted conversations", true],
  [{ deleted: true, q: "tide" }, "No messages found", true],
  [{ archived: true }, "No conversations here", undefined],
  [{}, "No conversations yet", undefined],
])("an empty list of conversations (%j) says why it is empty", async (query, title, leadsBack) => {
  const all = { q: "", archived: false, deleted: false, ...query };
  const data = { query: all, conversations: [], folders: [], about: {} };
  const page = await rendered(<Conversations />, { at: "/chat/all", data });
  expect(page.text).toContain(title);
  if (leadsBack) expect(links(page)).toContainEqual(["Show All Conversations", "/chat/all"]);
});

it("budgets are read again after one was found deleted", () => {
  const after = (actionStatus: number, defaultShouldRevalidate: boolean) =>
    shouldRevalidate({ actionStatus, defaultShouldRevalidate } as Parameters<typeof shouldRevalidate>[0]);
  expect(after(404, false), "the dialog then says that it is gone").toBe(true);
  expect([after(400, false), after(200, true)]).toEqual([false, true]);
});

it.each([
  [true, "No documents shared with you"],
  [false, "The first document replaces this sample."],
])("the dashboard says why it lists no document (there are some: %s)", async (hasData, reason) => {
  const overview = { documents: { hasData, newest: [], total: 0 } };
  const data = { overview, plots: {}, steps: [], mayBudget: false, mayConfigure: false, enterSends: true };
  expect((await rendered(<Dashboard />, { data })).text).toContain(reason);
});

it("a closed public form says so, and leads nowhere that needs an account", async () => {
  const closed = "This form is closed. Ask the person who gave you the link.";
  const page = await rendered(<PublicForm />, { at: "/form/unknown", data: { closed } });
  expect(page.document.querySelector("h1")?.textContent).toBe("This form is closed");
  expect(page.text).toContain("Ask the person who gave you the link.");
  expect(links(page)).toEqual([]);
  const submitted = { input_question: "When do\nthe ships arrive?", input_agree: "on", visit: "v" };
  const result = { result: { status: "error", initialValue: submitted } };
  const late = await rendered(<PublicForm />, { at: "/form/unknown", data: { closed }, result });
  const kept = [...late.document.querySelectorAll("section p")].map(({ textContent }) => textContent);
  expect(kept).toEqual(["When do\nthe ships arrive?"]);
});

it("a public form takes text of any direction, and says once that it was received", async () => {
  const inputOf = (kind: string) => ({
    field: `input_${kind}`,
    name: kind,
    kind,
    label: kind,
    required: false,
  });
  const inputs = ["text", "long", "number"].map(inputOf);
  const form = {
    title: "Ask us",
    description: "",
    inputs,
    button: "Send",
    visit: "v",
    visitField: "visit",
    trap: "t",
  };
  const open = await rendered(<PublicForm />, { at: "/form/abc", data: { form } });
  const isAuto = inputs.map(
    ({ field }) => open.document.querySelector(`[name=${field}]`)?.getAttribute("dir") ?? null,
  );
  expect(isAuto).toEqual(["auto", "auto", null]);
  const sent = await rendered(<PublicForm />, {
    at: "/form/abc?sent=1",
    data: { form, thanks: "Thank you!" },
  });
  expect(sent.text).toContain("Thank you!");
  expect(sent.document.querySelector("form")).toBeNull();
  expect(links(sent)).toEqual([["Send Another Answer", "/form/abc"]]);
});

it("a comparison shows the images of its answers", async () => {
  const image = { id: "tfl_1", name: "Image 1-1", mediaType: "image/png", size: 9 };
  const answer = (id: string, parts: object[]) => ({ ...message("assistant", ""), id, parts });
  const answers = [
    { conversationId: "con_1", model: "a", answer: answer("msg_1", [{ type: "file", ...image }]) },
    { conversationId: "con_2", model: "b", answer: answer("msg_2", []) },
  ];
  const comparison = { id: "cmp_1", prompt: "Draw", createdAt: "2026-01-20T12:00:00.000Z", answers };
  const data = { comparison, title: "Draw", names: {}, differences: [], renderings: {} };
  const { document } = await rendered(<Comparison />, { at: "/compare/cmp_1", data });
  expect(document.querySelector("img")?.getAttribute("src")).toContain("tfl_1");
});

it("a run that a failure started leads to the run that failed", async () => {
  const at = "2026-11-27T09:00:00.000Z";
  const run = {
    id: "run_2",
    workflowId: "wf_2",
    workflowName: "On a failed import",
    state: "succeeded",
    trigger: { id: "start", type: "failure" },
    createdAt: at,
    startedAt: at,
    finishedAt: at,
    durationMs: 0,
  };
  const data = { run, steps: [], mayWrite: false, now: 0 };
  const failedRun = { id: "run_1", workflowName: "Import" };
  const linked = await rendered(<Run />, { data: { ...data, failedRun } });
  expect(links(linked)).toContainEqual(["Failed run of Import", "/workflows/runs/run_1"]);
  expect((await rendered(<Run />, { data })).text).toContain("TriggerFailed run");
});

it.each([
  [1, "2026-11-30T12:00:00.000Z", "Its 1 answer is deleted. This can't be undone."],
  [12, null, "Its 12 answers are deleted, and it is stopped. This can't be undone."],
  [0, "2026-11-30T12:00:00.000Z", "It has no answers. This can't be undone."],
])("the deletion of a run names the answers that it has (%s)", async (done, endedAt, words) => {
  const figures = [{ passed: done, failed: 0, errors: 0, costMicros: 0, meanMs: null }];
  const subjects = [{ label: "A", model: "a" }];
  const run = { id: "evr_1", state: "stopped", error: null, subjects, figures, done, total: 35, endedAt };
  const more = { judge: null, limitMicros: null, canChange: true, createdAt: "2026-11-30T11:00:00.000Z" };
  const pageInfo = { page: 1, size: 10, total: 35 };
  const data = { run: { ...run, ...more }, set: { id: "evl_1", name: "Harbor" }, rows: [], pageInfo };
  const page = await rendered(<EvaluationRun />, { at: "/evaluations/runs/evr_1?dialog=delete", data });
  expect(page.text).toContain(words);
});

it("a rating leads to a new evaluation where there is none to add it to", async () => {
  const rated = { question: "Where?", expects: { rubric: "Says where" } };
  const data = {
    items: [],
    ratings: [],
    nextCursor: null,
    query: {},
    people: undefined,
    mayAdd: true,
    rated,
    sets: [],
  };
  const at = "/evaluations/ratings?dialog=add&id=msg_1&by=usr_1";
  const page = await rendered(<Ratings />, { at, data });
  expect(links(page)).toContainEqual(["Create one", "/evaluations?dialog=new"]);
});
