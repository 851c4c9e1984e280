import type { WorkflowTemplate } from "./template";

export const triageAMessage: WorkflowTemplate = {
  id: "triage-a-message",
  name: "Triage a message",
  description: "Have a model judge whether a message is urgent, and log it at the matching level.",
  triggers: [{ id: "by_hand", type: "manual", config: {} }],
  steps: [
    {
      id: "judge",
      type: "ai_analysis",
      name: "Judge the message",
      config: {
        model: "",
        instruction: "Is this message urgent? Answer with one word: urgent or normal.",
        input: `{{ trigger.?message.orValue("The checkout has been down since nine. Please help.") }}`,
        output: "text",
        fields: "",
      },
    },
    {
      id: "is_urgent",
      type: "condition",
      name: "Urgent?",
      config: {
        condition: `steps.judge.text.lowerAscii().contains("urgent")`,
        trueAction: "continue",
        falseAction: "note_normal",
      },
    },
    {
      id: "note_urgent",
      type: "log",
      name: "Log as urgent",
      config: { level: "warn", message: "Urgent message: {{ steps.judge.text }}" },
    },
    { id: "return_urgent", type: "return", config: { value: "urgent" } },
    {
      id: "note_normal",
      type: "log",
      name: "Log as normal",
      config: { level: "info", message: "Normal message: {{ steps.judge.text }}" },
    },
    { id: "return_normal", type: "return", config: { value: "normal" } },
  ],
  connections: [],
};
