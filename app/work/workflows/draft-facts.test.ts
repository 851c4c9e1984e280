import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../../tests/support/database";
import { Draft } from "./builder.schema";
import { readBuilder } from "./builder.service.server";
import { describeDraft } from "./draft-facts.server";

let test: ReturnType<typeof openTestDatabase>;
const open = (env: Record<string, string> = {}) => {
  test = openTestDatabase(env);
};
beforeEach(() => open());
afterEach(() => test.close());

const step = (id: string, type: string, config: object = {}) => ({ id, type, config });
const warnings = (steps: object[], who: "owner" | "member" = "owner") =>
  describeDraft(test.actors[who], Draft.parse({ steps })).warnings;

it("says on a step what it lacks, with a link for who may mend it", () => {
  const steps = [
    step("mail", "send_email", { to: "a@example.com" }),
    step("model", "ai_completion", { model: "gpt-99" }),
    step("tool", "run_tool", { tool: "gone.tool" }),
    step("call", "http_request", { key: "key_gone" }),
    step("fine", "log", { message: "x" }),
  ];
  const found = warnings(steps);
  expect(Object.keys(found)).toEqual(["mail", "model", "tool", "call"]);
  expect(found.mail).toEqual([
    {
      message: expect.stringContaining("SMTP_URL"),
      link: { to: "/settings/environment", label: "Open Environment" },
    },
  ]);
  expect(found.model?.[0]).toMatchObject({
    message: expect.stringContaining("gpt-99"),
    link: { to: "/settings/providers" },
  });
  expect(found.tool?.[0]).toMatchObject({
    message: expect.stringContaining("gone.tool"),
    link: { to: "/extensions" },
  });
  expect(found.call?.[0]?.link?.to).toBe("/settings/keys");
  for (const [first] of Object.values(warnings(steps, "member"))) expect(first?.link).toBeUndefined();
});

it("asks for mail only where it is sent, and not where an expression decides", () => {
  const found = warnings([
    step("ask", "approval", { question: "Go on?" }),
    step("tell", "approval", { question: "Go on?", sendTo: "a@example.com" }),
    step("open", "ai_completion", { model: "{{ trigger.model }}" }),
    step("persona", "ai_completion", { persona: "per_1" }),
  ]);
  expect(Object.keys(found)).toEqual(["tell"]);
  test.close();
  open({ SMTP_URL: "smtp://mail.example.com" });
  expect(warnings([step("mail", "send_email")])).toEqual({});
});

it("says that only the built-in model answers", () => {
  expect(warnings([step("ai", "ai_completion")]).ai?.[0]?.message).toContain("built-in model");
});

it("shows the input of a stored step in its tool's form", () => {
  const { draft, facts } = readBuilder(test.actors.member, { template: "watch-a-page" });
  expect(draft.steps.find(({ id }) => id === "keep")?.config.input).toEqual({
    key: "watched-page",
    value: expect.stringMatching(/^\{\{ size\(steps\.page\.text\)/),
  });
  expect(Object.keys(facts.tools).sort()).toEqual(["kv.get", "kv.set", "web.fetch"]);
});
