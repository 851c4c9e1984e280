import type { WorkflowTemplate } from "./template";

const URL = `trigger.?url.orValue("https://example.com/")`;

export const healthCheck: WorkflowTemplate = {
  id: "health-check",
  name: "Health check of an address",
  description: "Every 15 minutes, check that an address answers, and log an error when it doesn't.",
  needs: "internet",
  triggers: [
    { id: "every_quarter", type: "schedule", config: { cron: "*/15 * * * *", timeZone: "" } },
    { id: "by_hand", type: "manual", config: {} },
  ],
  steps: [
    {
      id: "check",
      type: "http_request",
      name: "Request the address",
      config: { method: "GET", url: `{{ ${URL} }}`, headers: "", body: "", failOnStatus: false },
      options: { retries: 2, retryDelaySeconds: 5, timeoutSeconds: 20, onError: "branch" },
    },
    {
      id: "is_up",
      type: "condition",
      name: "Healthy?",
      config: { condition: "steps.check.status < 400", trueAction: "continue", falseAction: "note_down" },
    },
    {
      id: "note_up",
      type: "log",
      name: "Log as healthy",
      config: { level: "info", message: `{{ ${URL} }} returned HTTP {{ steps.check.status }}.` },
    },
    {
      id: "note_down",
      type: "log",
      name: "Log as down",
      config: { level: "error", message: `{{ ${URL} }} is down.` },
    },
  ],
  connections: [
    { from: "every_quarter", to: "check" },
    { from: "by_hand", to: "check" },
    { from: "check", to: "is_up" },
    { from: "check", to: "note_down", branch: "error" },
    { from: "is_up", to: "note_up", branch: "true" },
    { from: "is_up", to: "note_down", branch: "false" },
  ],
};
