import type { WorkflowTemplate } from "./template";

/** Stored and compared part of the page. */
const TEXT = "size(steps.page.text) > 10000 ? steps.page.text.substring(0, 10000) : steps.page.text";
const URL = `trigger.?url.orValue("https://example.com/")`;

export const watchAPage: WorkflowTemplate = {
  id: "watch-a-page",
  name: "Watch a page",
  description: "Every hour, read a web page and say what changed since the last time.",
  needs: "internet",
  triggers: [
    { id: "every_hour", type: "schedule", config: { cron: "0 * * * *", timeZone: "" } },
    { id: "by_hand", type: "manual", config: {} },
  ],
  steps: [
    {
      id: "page",
      type: "run_tool",
      name: "Read the page",
      config: { tool: "web.fetch", input: `{"url": ${URL}}` },
      options: { retries: 2 },
    },
    {
      id: "before",
      type: "run_tool",
      name: "Load the previous text",
      config: { tool: "kv.get", input: `{"key": "watched-page"}` },
    },
    {
      id: "changed",
      type: "condition",
      name: "Changed?",
      config: {
        condition: `steps.before.?value.orValue("") != (${TEXT})`,
        trueAction: "continue",
        falseAction: "stop",
      },
    },
    {
      id: "keep",
      type: "run_tool",
      name: "Save the current text",
      config: { tool: "kv.set", input: `{"key": "watched-page", "value": ${TEXT}}` },
    },
    {
      id: "compare",
      type: "ai_analysis",
      name: "Say what changed",
      config: {
        model: "",
        instruction: "Say in one sentence what changed between the page before and the page now.",
        input: `Before:\n{{ steps.before.?value.orValue("(not read yet)") }}\n\nNow:\n{{ steps.page.text }}`,
        output: "text",
        fields: "",
      },
    },
    {
      id: "note",
      type: "log",
      config: { level: "info", message: `The page {{ ${URL} }} changed: {{ steps.compare.text }}` },
    },
  ],
  connections: [],
};
