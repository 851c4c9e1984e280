import type { WorkflowTemplate } from "./template";

export const nineOclockDigest: WorkflowTemplate = {
  id: "nine-oclock-digest",
  name: "Nine o'clock digest",
  description: "Every morning at nine, summarize what the documents say on a topic and send it by email.",
  needs: "email",
  triggers: [
    { id: "every_morning", type: "schedule", config: { cron: "0 9 * * *", timeZone: "" } },
    { id: "by_hand", type: "manual", config: {} },
  ],
  steps: [
    {
      id: "search",
      type: "search_documents",
      name: "Find passages",
      config: { query: "decisions, deadlines and open questions", topK: 8, category: "" },
    },
    {
      id: "digest",
      type: "ai_completion",
      name: "Write the digest",
      config: {
        model: "",
        system:
          "You write short daily digests for a team. Use only the passages you are given and name their numbers.",
        prompt: "Write a digest of at most 150 words from these passages:\n\n{{ steps.search.text }}",
        temperature: 0.3,
      },
    },
    {
      id: "has_passages",
      type: "condition",
      name: "Anything found?",
      config: { condition: "steps.search.count > 0", trueAction: "continue", falseAction: "summary" },
    },
    {
      id: "send",
      type: "send_email",
      name: "Send the digest",
      config: {
        to: "team@example.com",
        subject: "Your nine o'clock digest",
        body: "{{ steps.digest.text }}",
      },
    },
    {
      id: "summary",
      type: "log",
      config: { level: "info", message: "Digest made of {{ steps.search.count }} passages." },
    },
  ],
  connections: [],
};
