import { afterEach, beforeEach, expect, it } from "vitest";
import { suspendMember } from "~/team/members/member.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { callHook, listWebhooks, rotateWebhook } from "./hooks.service.server";
import { readForm, submitForm, TRAP, VISIT } from "./public-forms.service.server";
import { pageRuns, readRun, startWorkflows } from "./runs.service.server";
import { createWorkflow, updateWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => Promise<void>;
beforeEach(() => {
  test = openTestDatabase();
  stop = startWorkflows();
});
afterEach(async () => {
  await stop();
  test.close();
});

const INPUTS = "email* (email): Your address\nseats (number): Seats\nagree (yesno): I agree\nintent: Purpose";
function make(config: Record<string, unknown> = {}) {
  const { member } = test.actors;
  const { id } = createWorkflow(member, {
    name: "Requests",
    description: "",
    triggers: [
      { type: "form", id: "ask", config: { title: "Ask us", thanks: "Thanks!", inputs: INPUTS, ...config } },
    ],
    steps: [{ type: "log", id: "say", config: { message: "{{ json(trigger) }}" } }],
    connections: [],
  });
  const path = listWebhooks(member, id)[0]?.path ?? "";
  return { id, path, token: path.replace("/form/", "") };
}

function posted(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}
const GOOD = { input_email: "ada@example.com", input_seats: "2", input_agree: "on", input_intent: "Trip" };
const send = (token: string, fields: Record<string, string> = GOOD, address = "192.0.2.1") =>
  submitForm(token, posted(fields), address);
const runsOf = (workflow: string) => pageRuns(test.actors.member, { workflow, limit: 50 }).runs;

it("starts one run for the same values from the same page, and another for changed ones or a new page", async () => {
  const { id, token } = make();
  const page = { ...GOOD, [VISIT]: readForm(token).visit };
  await send(token, page);
  await send(token, page);
  expect(runsOf(id)).toHaveLength(1);
  await send(token, { ...page, input_seats: "3" });
  await send(token, { ...GOOD, [VISIT]: readForm(token).visit });
  expect(runsOf(id)).toHaveLength(3);
});

it("starts a run with the form's values", async () => {
  const { id, path, token } = make();
  expect(path).toMatch(/^\/form\/[\w-]{43}$/);
  expect(readForm(token)).toMatchObject({
    title: "Ask us",
    inputs: [{ field: "input_email", required: true }, {}, {}, {}],
  });
  await send(token, { ...GOOD, other: "ignored" });
  const [run] = runsOf(id);
  expect(readRun(test.actors.member, run?.id ?? "")).toMatchObject({
    trigger: { id: "ask", type: "form" },
    startedBy: null,
    payload: { email: "ada@example.com", seats: 2, agree: true, intent: "Trip" },
  });
});

it("refuses a text that is too long beside its field, and cuts none", async () => {
  const { id, token } = make();
  await expect(send(token, { ...GOOD, input_intent: "x".repeat(501) })).rejects.toMatchObject({
    fields: { input_intent: [expect.stringContaining("500 characters")] },
  });
  expect(runsOf(id)).toEqual([]);
});

it.each([
  ["1,5", 1.5],
  [" -12.25 ", -12.25],
  [".5", 0.5],
  ["1,500", undefined],
  ["1,5,5", undefined],
  ["0x10", undefined],
  ["1e3", undefined],
])("reads the number %s as phones write it", async (typed, seats) => {
  const { id, token } = make();
  const sent = send(token, { ...GOOD, input_seats: typed });
  if (seats === undefined)
    return expect(sent).rejects.toMatchObject({ fields: { input_seats: ["Enter a number"] } });
  await sent;
  const [run] = runsOf(id);
  expect(readRun(test.actors.member, run?.id ?? "").payload).toMatchObject({ seats });
});

it("says beside a field what is wrong with it, and starts nothing", async () => {
  const { id, token } = make();
  await expect(send(token, { input_email: "ada", input_seats: "two" })).rejects.toMatchObject({
    code: "invalid",
    fields: { input_email: ["Enter an email address"], input_seats: [expect.any(String)] },
  });
  await expect(send(token, {})).rejects.toMatchObject({ fields: { input_email: ["Fill this in"] } });
  expect(runsOf(id)).toEqual([]);
});

it("wants a required box ticked, and counts only what was sent", async () => {
  const { id, token } = make({ inputs: "agree* (yesno): I agree\nnews (yesno): Send me news", perHour: 1 });
  const unticked = { fields: { input_agree: ["Tick this box"] } };
  for (let count = 0; count < 7; count++) await expect(send(token, {})).rejects.toMatchObject(unticked);
  await send(token, { input_agree: "on" });
  const [run] = runsOf(id);
  expect(readRun(test.actors.member, run?.id ?? "")).toMatchObject({ payload: { agree: true, news: false } });
});

it("starts nothing for a program that fills in what people don't see, and tells it nothing", async () => {
  const { id, token } = make();
  await send(token, { ...GOOD, [TRAP]: "https://spam.example" });
  expect(runsOf(id)).toEqual([]);
});

it("refuses more than its limit, and one address before others", async () => {
  const { id, token } = make({ perHour: 7 });
  for (let count = 0; count < 5; count++) await send(token);
  await expect(send(token)).rejects.toMatchObject({ code: "rate_limited" });
  await send(token, GOOD, "192.0.2.2");
  await send(token, GOOD, "192.0.2.3");
  await expect(send(token, GOOD, "192.0.2.4")).rejects.toMatchObject({ code: "rate_limited" });
  expect(runsOf(id)).toHaveLength(7);
});

it("counts the addresses of an IPv6 network as one", async () => {
  const { token } = make();
  for (let count = 0; count < 6; count++) await send(token, GOOD, `2001:db8::${count}`);
  await expect(send(token, GOOD, "2001:db8::ffff")).rejects.toMatchObject({ code: "rate_limited" });
  await send(token, GOOD, "2001:db8:0:1::1");
});

it("names the faults of fields alone, whatever they are called", async () => {
  const { token } = make({ inputs: "constructor: Maker\nemail* (email): Address" });
  await expect(send(token, { input_email: "ada" })).rejects.toMatchObject({
    fields: { input_email: ["Enter an email address"] },
  });
  await expect(send(token, {})).rejects.toMatchObject({ fields: { input_email: ["Fill this in"] } });
});

it("is closed while its workflow is disabled or paused, under its old address, and as a webhook", async () => {
  const { id, token } = make();
  const { member, owner } = test.actors;
  const closed = { code: "not_found", message: expect.stringContaining("is closed") };
  const hook = {
    token,
    method: "POST",
    headers: {},
    query: [],
    rawBody: Buffer.from("{}"),
    signal: new AbortController().signal,
  };
  await expect(callHook(hook as never)).rejects.toMatchObject({ code: "not_found" });
  updateWorkflow(member, id, { enabled: false });
  await expect(send(token)).rejects.toMatchObject(closed);
  updateWorkflow(member, id, { enabled: true });
  const { path } = rotateWebhook(member, id, "ask");
  await expect(send(token)).rejects.toMatchObject(closed);
  await send(path.replace("/form/", ""));
  suspendMember(owner, member.userId);
  await expect(send(path.replace("/form/", ""))).rejects.toMatchObject(closed);
  await expect(send("nothing")).rejects.toMatchObject(closed);
});
