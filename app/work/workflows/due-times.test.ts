import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { openTestDatabase } from "../../../tests/support/database";
import { describeWorkflow, nextDueTimes } from "./screen.service.server";
import type { Workflow } from "./workflows.schema";
import { createWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  setClock(() => Date.parse("2026-11-27T10:00:00.000Z"));
});
afterEach(() => {
  setClock();
  test.close();
});

const due = (config: object, enabled = true) => {
  const triggers = [
    { id: "daily", type: "schedule", config },
    { id: "go", type: "manual", config: {} },
  ];
  return nextDueTimes(test.actors.member, { triggers, enabled } as unknown as Workflow);
};

it("shows the next five times of a schedule, by default at nine each day", () => {
  const { daily, ...others } = due({});
  expect(daily?.map(({ at }) => at)).toEqual(
    [28, 29, 30]
      .map((day) => `2026-11-${day}T09:00:00.000Z`)
      .concat([1, 2].map((day) => `2026-12-0${day}T09:00:00.000Z`)),
  );
  expect(others, "only schedules are due").toEqual({});
});

it("follows the schedule's own time zone, and shows none while the workflow is off", () => {
  expect(due({ cron: "30 8 * * *", timeZone: "Asia/Tokyo" }).daily?.[0]).toEqual({
    at: "2026-11-27T23:30:00.000Z",
    text: "Sat 28 Nov at 08:30",
  });
  expect(due({}, false)).toEqual({});
});

it("says of each trigger what starts it", () => {
  const actor = test.actors.member;
  const other = createWorkflow(actor, {
    ...{ name: "Nightly", description: "", triggers: [{ type: "manual", id: "go", config: {} }] },
    ...{ steps: [], connections: [] },
  });
  const detailOf = (type: string, config: object) => {
    const triggers = [{ id: "one", type, config }];
    const workflow = { id: "wf_1", steps: [], enabled: true, pausedReason: null, triggers };
    return describeWorkflow(actor, workflow as unknown as Workflow).triggers[0]?.detail;
  };
  const mailbox = { host: "imap.example.com", user: "desk@example.com", key: "key_1" };
  expect(detailOf("email", mailbox)).toBe("desk@example.com at imap.example.com, folder INBOX");
  expect(detailOf("email", { ...mailbox, folder: "Berths" })).toBe(
    "desk@example.com at imap.example.com, folder Berths",
  );
  expect(detailOf("email", {})).toBeUndefined();
  expect(detailOf("feed", { url: "https://example.com/feed" })).toBe("https://example.com/feed");
  expect(detailOf("webhook", {})).toBe("POST");
  expect(detailOf("budget", { level: "near or used up" })).toBe("near or used up");
  expect(detailOf("document", { category: "" })).toBe("every category");
  expect(detailOf("failure", { workflow: "" })).toBe("every other workflow");
  expect(detailOf("failure", { workflow: other.id })).toBe("Nightly");
  expect(detailOf("failure", { workflow: "wf_gone" })).toBeUndefined();
  expect(detailOf("manual", {})).toBeUndefined();
});
