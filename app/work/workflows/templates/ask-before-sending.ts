import type { WorkflowTemplate } from "./template";

export const askBeforeSending: WorkflowTemplate = {
  id: "ask-before-sending",
  name: "Ask before sending",
  description: "Have a model draft an email, and send it only after a person approved it.",
  needs: "email",
  triggers: [{ id: "by_hand", type: "manual", config: {} }],
  steps: [
    {
      id: "draft",
      type: "ai_completion",
      name: "Draft the email",
      config: {
        model: "",
        system: "You write friendly, short emails in plain text, without a subject line.",
        prompt: `Write an email about: {{ trigger.?topic.orValue("the team lunch on Friday at noon") }}`,
        temperature: 0.7,
      },
    },
    {
      id: "ask",
      type: "approval",
      name: "Ask for approval",
      config: { question: "Send this email?", details: "{{ steps.draft.text }}", timeoutHours: 72 },
    },
    {
      id: "send",
      type: "send_email",
      config: {
        to: "team@example.com",
        subject: `{{ trigger.?subject.orValue("News from the team") }}`,
        body: "{{ steps.draft.text }}",
      },
    },
    { id: "note_sent", type: "log", config: { level: "info", message: "The email was sent." } },
    { id: "note_refused", type: "log", config: { level: "info", message: "The email was not approved." } },
  ],
  connections: [
    { from: "by_hand", to: "draft" },
    { from: "draft", to: "ask" },
    { from: "ask", to: "send", branch: "approved" },
    { from: "ask", to: "note_refused", branch: "refused" },
    { from: "send", to: "note_sent" },
  ],
};
