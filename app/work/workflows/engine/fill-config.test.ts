import { expect, it } from "vitest";
import { findStepType } from "../steps/index.server";
import type { WorkflowStep } from "../workflows.schema";
import { fillConfig } from "./fill-config";

it("gives the expressions of a step's fields one budget", () => {
  const type = findStepType("send_email");
  if (!type) throw new Error("no step type");
  const fill = (config: WorkflowStep["config"]) =>
    fillConfig(type, { id: "a", type: "send_email", name: "", config } as WorkflowStep, {
      trigger: { text: "x".repeat(3_000_000) },
    });
  const text = "{{ trigger.text }}";
  expect(() => fill({ to: text, subject: text })).not.toThrow(/larger than/);
  expect(() => fill({ to: text, subject: text, body: text })).toThrow(/larger than 8,000,000/);
});
