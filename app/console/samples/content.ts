import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import type { WorkflowDefinition } from "~/work/workflows/workflows.schema";

// A made-up team that rents out bicycles. Everything runs on the built-in model, so that nothing leaves the server.

export const SAMPLE_DOCUMENTS: readonly { title: string; text: string }[] = [
  {
    title: "Refunds and returns",
    text: "# Refunds and returns\n\nA refund takes five working days from the day it is approved.\n\n## Who gets one\n\nA ride under two minutes is refunded without a question. A day pass is refunded until it is first used. Refunds above 50 euros are approved by a second person.\n\n## How to answer\n\nName the amount and the day it arrives. Don't promise a date before the refund is approved.",
  },
  {
    title: "Brakes and batteries: repair guide",
    text: "# Brakes and batteries: repair guide\n\n## Brakes\n\nA brake that squeaks is cleaned first: wipe the disc with alcohol, then brake hard ten times. If it still squeaks, replace the pads. Pads under 1 mm are replaced at once, and the bicycle is locked until then.\n\n## Batteries\n\nA battery below 20 percent is swapped the same day. A battery that is warm to the touch while parked is taken outside and reported to the workshop by phone.",
  },
  {
    title: "On-call handbook",
    text: "# On-call handbook\n\nThe first line answers within fifteen minutes and writes down the time of each step. An accident is called in by phone, never by mail.\n\n## At night\n\nNobody repairs a bicycle alone on a road after 22:00. Lock it remotely and collect it in the morning.",
  },
  {
    title: "Prices and passes",
    text: "# Prices and passes\n\n| Pass | Price | Rides |\n|---|---|---|\n| Single | 1 euro to unlock, 15 cents a minute | 1 |\n| Day | 9 euros | any number up to 45 minutes each |\n| Month | 29 euros | any number up to 45 minutes each |\n\nStudents pay half for the month pass. A lost bicycle costs the rider at most 150 euros.",
  },
  {
    title: "Stations and opening hours",
    text: "# Stations and opening hours\n\nBicycles can be taken at any hour. The workshop at the harbor is open from 7:00 to 19:00, the office from 9:00 to 17:00 on working days.\n\nThe stations at the university and the main station are refilled twice a day, before 8:00 and before 16:00.",
  },
];

export const SAMPLE_PERSONAS = [
  {
    name: "Rider support (sample)",
    systemPrompt:
      "You answer riders of a bicycle rental. Answer from the documents, name amounts and days, and stay short.",
    tools: ["qdrant.search"],
  },
  {
    name: "Workshop lead (sample)",
    systemPrompt: "You help mechanics. Say the first step to take, then when to stop and ask a colleague.",
    tools: ["qdrant.search", "kv.get"],
  },
] as const;

const BY_HAND = { id: "by_hand", type: "manual", config: {} };
const MESSAGE = 'trigger.?message.orValue("")';
const QUESTION = 'trigger.?question.orValue("How long does a refund take?")';

interface SampleWorkflow extends WorkflowDefinition {
  name: string;
  description: string;
  /** What its runs begin with. */
  runs: readonly Record<string, string>[];
}

export const SAMPLE_WORKFLOWS: readonly SampleWorkflow[] = [
  {
    name: "Answer a rider's question",
    description: "Finds the passages that answer a question, and answers with their numbers.",
    triggers: [BY_HAND],
    steps: [
      {
        id: "search",
        type: "search_documents",
        name: "Find passages",
        config: { query: `{{ ${QUESTION} }}`, topK: 3 },
      },
      {
        id: "answer",
        type: "ai_completion",
        name: "Answer the question",
        config: {
          model: OFFLINE_MODEL,
          system: "Answer from the passages alone and name their numbers.",
          prompt: `Question: {{ ${QUESTION} }}\n\nPassages:\n{{ steps.search.text }}`,
          temperature: 0.2,
        },
      },
      {
        id: "result",
        type: "return",
        config: { value: '{{ {"answer": steps.answer.text, "passages": steps.search.count} }}' },
      },
    ],
    connections: [],
    runs: [
      { question: "How long does a refund take?" },
      { question: "The brake squeaks. What do I do first?" },
    ],
  },
  {
    name: "Sort incoming messages",
    description: "Sends what is urgent to the phone, and everything else to the mailbox.",
    triggers: [BY_HAND],
    steps: [
      {
        id: "is_urgent",
        type: "condition",
        name: "Urgent?",
        config: {
          condition: `${MESSAGE}.contains("accident") || ${MESSAGE}.contains("brake")`,
          trueAction: "continue",
          falseAction: "mailbox",
        },
      },
      {
        id: "phone",
        type: "log",
        name: "To the phone",
        config: { level: "warn", message: `{{ ${MESSAGE} }}` },
      },
      { id: "called", type: "return", config: { value: "phone" } },
      {
        id: "mailbox",
        type: "log",
        name: "To the mailbox",
        config: { level: "info", message: `{{ ${MESSAGE} }}` },
      },
      { id: "stored", type: "return", config: { value: "mailbox" } },
    ],
    connections: [
      { from: "by_hand", to: "is_urgent" },
      { from: "is_urgent", to: "phone", branch: "true" },
      { from: "phone", to: "called" },
      { from: "is_urgent", to: "mailbox", branch: "false" },
      { from: "mailbox", to: "stored" },
    ],
    runs: [
      { message: "The brake of bicycle 112 doesn't hold." },
      { message: "Can I share my month pass with my brother?" },
    ],
  },
  {
    name: "Publish a notice after approval",
    description: "Writes a notice from the documents, and waits until a person approves it.",
    triggers: [BY_HAND],
    steps: [
      {
        id: "search",
        type: "search_documents",
        name: "Find passages",
        config: { query: '{{ trigger.?topic.orValue("opening hours of the workshop") }}', topK: 2 },
      },
      {
        id: "draft",
        type: "ai_completion",
        name: "Write the notice",
        config: {
          model: OFFLINE_MODEL,
          prompt:
            'Write a notice about: {{ trigger.?topic.orValue("opening hours of the workshop") }}\n\nPassages:\n{{ steps.search.text }}',
          temperature: 0.2,
        },
      },
      {
        id: "ask",
        type: "approval",
        name: "Ask for approval",
        config: { question: "Publish this notice?", details: "{{ steps.draft.text }}" },
      },
      { id: "published", type: "return", config: { value: "published" } },
      { id: "dropped", type: "return", config: { value: "not published" } },
    ],
    connections: [
      { from: "by_hand", to: "search" },
      { from: "search", to: "draft" },
      { from: "draft", to: "ask" },
      { from: "ask", to: "published", branch: "approved" },
      { from: "ask", to: "dropped", branch: "refused" },
    ],
    runs: [{ topic: "opening hours of the workshop" }],
  },
];
