import type { WorkflowTemplate } from "./template";

export const webhookToSummary: WorkflowTemplate = {
  id: "webhook-to-summary",
  name: "Webhook to summary",
  description: "Answer a request with a summary of the data it sent.",
  triggers: [
    {
      id: "on_request",
      type: "webhook",
      config: { method: "POST", respond: "with Return Value", signatureKey: "" },
    },
    { id: "by_hand", type: "manual", config: {} },
  ],
  steps: [
    {
      id: "summarize",
      type: "ai_analysis",
      name: "Summarize",
      config: {
        model: "",
        instruction: "Summarize the data in at most three sentences.",
        input: "{{ json(trigger) }}",
        output: "text",
        fields: "",
      },
    },
    {
      id: "answer",
      type: "return",
      config: { value: `{{ {"summary": steps.summarize.text, "model": steps.summarize.model} }}` },
    },
  ],
  connections: [],
};
