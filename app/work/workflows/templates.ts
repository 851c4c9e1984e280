import type { WorkflowDefinition, WorkflowStep } from "./workflows.schema";

export interface WorkflowTemplate extends WorkflowDefinition {
  /** Permanent, as links use it. */
  id: string;
  name: string;
  description: string;
}

const BY_HAND = { id: "by_hand", type: "manual", config: {} };
const URL = `trigger.?url.orValue("https://example.com/")`;
const QUESTION = `trigger.?question.orValue("What should I know first?")`;

const PLAN = `trigger.?text.orValue("We move the shop to a new system in one night, a week before the sale.")`;

const CREATE = `CREATE TABLE IF NOT EXISTS orders (
  id INTEGER PRIMARY KEY,
  status TEXT NOT NULL,
  amount REAL NOT NULL,
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)`;

const REPORT = `SELECT status, count(*) AS orders, coalesce(sum(amount), 0) AS amount
FROM orders
WHERE created_at >= datetime('now', $1)
GROUP BY status
ORDER BY amount DESC`;

/** Stored and compared part of the page. */
const TEXT = "size(steps.page.text) > 10000 ? steps.page.text.substring(0, 10000) : steps.page.text";

const SAMPLE =
  '[{"title": "Opening hours", "text": "We are open from nine to five."}, {"title": "Returns", "text": "Goods can be returned within thirty days."}]';

/** A step; without a name it is shown by its type's label. */
const step = (id: string, type: string, name: string, config: WorkflowStep["config"]): WorkflowStep => ({
  id,
  type,
  ...(name && { name }),
  config,
});

/** In the order of the screen. */
export const templates: readonly WorkflowTemplate[] = [
  {
    id: "nine-oclock-digest",
    name: "Nine o'clock digest",
    description: "Every morning at nine, summarize what the documents say on a topic and send it by email.",
    triggers: [
      { id: "every_morning", type: "schedule", config: { cron: "0 9 * * *", timeZone: "" } },
      BY_HAND,
    ],
    steps: [
      step("search", "search_documents", "Find passages", {
        query: "decisions, deadlines and open questions",
        topK: 8,
      }),
      step("digest", "ai_completion", "Write the digest", {
        system:
          "You write short daily digests for a team. Use only the passages you are given and name their numbers.",
        prompt: "Write a digest of at most 150 words from these passages:\n\n{{ steps.search.text }}",
        temperature: 0.3,
      }),
      step("has_passages", "condition", "Anything found?", {
        condition: "steps.search.count > 0",
        trueAction: "continue",
        falseAction: "summary",
      }),
      step("send", "send_email", "Send the digest", {
        to: "team@example.com",
        subject: "Your nine o'clock digest",
        body: "{{ steps.digest.text }}",
      }),
      step("summary", "log", "", {
        level: "info",
        message: "Digest made of {{ steps.search.count }} passages.",
      }),
    ],
    connections: [],
  },
  {
    id: "webhook-to-summary",
    name: "Webhook to summary",
    description: "Answer a request with a summary of the data it sent.",
    triggers: [
      {
        id: "on_request",
        type: "webhook",
        config: {
          method: "POST",
          respond: "with Return Value",
          signatureKey: "",
          signature: "x-webhook",
          signatureHeader: "",
          signatureAlgorithm: "sha256",
          signatureEncoding: "hex",
        },
      },
      BY_HAND,
    ],
    steps: [
      step("summarize", "ai_analysis", "Summarize", {
        instruction: "Summarize the data in at most three sentences.",
        input: "{{ json(trigger) }}",
      }),
      step("answer", "return", "", {
        value: `{{ {"summary": steps.summarize.text, "model": steps.summarize.model} }}`,
      }),
    ],
    connections: [],
  },
  {
    id: "triage-a-message",
    name: "Triage a message",
    description: "Have a model judge whether a message is urgent, and log it at the matching level.",
    triggers: [BY_HAND],
    steps: [
      step("judge", "ai_analysis", "Judge the message", {
        instruction: "Is this message urgent? Answer with one word: urgent or normal.",
        input: `{{ trigger.?message.orValue("The checkout has been down since nine. Please help.") }}`,
      }),
      step("is_urgent", "condition", "Urgent?", {
        condition: `steps.judge.text.lowerAscii().contains("urgent")`,
        trueAction: "continue",
        falseAction: "note_normal",
      }),
      step("note_urgent", "log", "Log as urgent", {
        level: "warn",
        message: "Urgent message: {{ steps.judge.text }}",
      }),
      step("return_urgent", "return", "", { value: "urgent" }),
      step("note_normal", "log", "Log as normal", {
        level: "info",
        message: "Normal message: {{ steps.judge.text }}",
      }),
      step("return_normal", "return", "", { value: "normal" }),
    ],
    connections: [],
  },
  {
    id: "answer-from-documents",
    name: "Answer from documents",
    description: "Answer a question from the documents, and cite the passages behind it.",
    triggers: [BY_HAND],
    steps: [
      step("search", "search_documents", "Find passages", { query: `{{ ${QUESTION} }}`, topK: 5 }),
      step("answer", "ai_completion", "Answer the question", {
        system:
          "Answer from the passages alone and name their numbers, such as [1]. If they don't answer the question, say so.",
        prompt: `Question: {{ ${QUESTION} }}\n\nPassages:\n{{ steps.search.text }}`,
        temperature: 0.2,
      }),
      step("result", "return", "", {
        value: `{{ {"answer": steps.answer.text, "sources": steps.search.results} }}`,
      }),
    ],
    connections: [],
  },
  {
    id: "two-views-of-a-text",
    name: "Two views of a text",
    description: "Have a model look for what is good and what is risky at the same time, then weigh both.",
    triggers: [BY_HAND],
    steps: [
      step("views", "parallel", "Look at both sides", { bodySteps: 2 }),
      step("good", "ai_analysis", "What is good", {
        instruction: "Name up to three strengths of this plan, one line each.",
        input: `{{ ${PLAN} }}`,
      }),
      step("risky", "ai_analysis", "What is risky", {
        instruction: "Name up to three risks of this plan, one line each.",
        input: `{{ ${PLAN} }}`,
      }),
      step("verdict", "ai_completion", "Weigh both", {
        system: "You write short, fair recommendations.",
        prompt:
          "Recommend in three sentences what to do.\n\nStrengths:\n{{ steps.good.text }}\n\nRisks:\n{{ steps.risky.text }}",
        temperature: 0.3,
      }),
      step("result", "return", "", {
        value: `{{ {"verdict": steps.verdict.text, "good": steps.good.text, "risky": steps.risky.text} }}`,
      }),
    ],
    connections: [],
  },
  {
    id: "weekly-database-report",
    name: "Weekly database report",
    description: "Every Monday, have a model summarize the week's figures from the workspace database.",
    triggers: [
      { id: "every_monday", type: "schedule", config: { cron: "0 8 * * 1", timeZone: "" } },
      BY_HAND,
    ],
    steps: [
      step("prepare", "database_query", "Create the table", {
        connection: "",
        sql: CREATE,
        parameters: "",
        write: true,
        maxRows: 1,
      }),
      step("figures", "database_query", "Read the week's figures", {
        connection: "",
        sql: REPORT,
        parameters: `["-7 days"]`,
        write: false,
        maxRows: 50,
      }),
      step("report", "ai_completion", "Write the report", {
        system: "You write short reports. Use only the figures you are given.",
        prompt:
          "Write a report of at most 100 words on the orders of the last seven days:\n{{ json(steps.figures.rows) }}",
        temperature: 0.3,
      }),
      step("note", "log", "", {
        level: "info",
        message: "Report on {{ steps.figures.rowCount }} kinds of orders.",
      }),
      step("result", "return", "", {
        value: `{{ {"report": steps.report.text, "rows": steps.figures.rows} }}`,
      }),
    ],
    connections: [],
  },
  {
    id: "watch-a-page",
    name: "Watch a page",
    description: "Every hour, read a web page and say what changed since the last time.",
    triggers: [{ id: "every_hour", type: "schedule", config: { cron: "0 * * * *", timeZone: "" } }, BY_HAND],
    steps: [
      {
        ...step("page", "run_tool", "Read the page", { tool: "web.fetch", input: `{"url": ${URL}}` }),
        options: { retries: 2 },
      },
      step("before", "run_tool", "Load the previous text", {
        tool: "kv.get",
        input: `{"key": "watched-page"}`,
      }),
      step("changed", "condition", "Changed?", {
        condition: `steps.before.?value.orValue("") != (${TEXT})`,
        trueAction: "continue",
        falseAction: "stop",
      }),
      step("keep", "run_tool", "Save the current text", {
        tool: "kv.set",
        input: `{"key": "watched-page", "value": ${TEXT}}`,
      }),
      step("compare", "ai_analysis", "Say what changed", {
        instruction: "Say in one sentence what changed between the page before and the page now.",
        input: `Before:\n{{ steps.before.?value.orValue("(not read yet)") }}\n\nNow:\n{{ steps.page.text }}`,
      }),
      step("note", "log", "", {
        level: "info",
        message: `The page {{ ${URL} }} changed: {{ steps.compare.text }}`,
      }),
    ],
    connections: [],
  },
  {
    id: "ask-before-sending",
    name: "Ask before sending",
    description: "Have a model draft an email, and send it only after a person approved it.",
    triggers: [BY_HAND],
    steps: [
      step("draft", "ai_completion", "Draft the email", {
        system: "You write friendly, short emails in plain text, without a subject line.",
        prompt: `Write an email about: {{ trigger.?topic.orValue("the team lunch on Friday at noon") }}`,
        temperature: 0.7,
      }),
      step("ask", "approval", "Ask for approval", {
        question: "Send this email?",
        details: "{{ steps.draft.text }}",
        timeoutHours: 72,
      }),
      step("send", "send_email", "", {
        to: "team@example.com",
        subject: `{{ trigger.?subject.orValue("News from the team") }}`,
        body: "{{ steps.draft.text }}",
      }),
      step("note_sent", "log", "", { level: "info", message: "The email was sent." }),
      step("note_refused", "log", "", { level: "info", message: "The email was not approved." }),
    ],
    connections: [
      { from: "by_hand", to: "draft" },
      { from: "draft", to: "ask" },
      { from: "ask", to: "send", branch: "approved" },
      { from: "ask", to: "note_refused", branch: "refused" },
      { from: "send", to: "note_sent" },
    ],
  },
  {
    id: "import-a-list",
    name: "Import a list",
    description: "Add each entry of a list of titles and texts to the documents.",
    triggers: [BY_HAND],
    steps: [
      step("entries", "each", "For each entry", {
        items: `trigger.?items.orValue(${SAMPLE})`,
        maxItems: 100,
        bodySteps: 1,
      }),
      step("add", "ingest_document", "Add the document", {
        text: "{{ item.text }}",
        title: "{{ item.title }}",
      }),
      step("note", "log", "", { level: "info", message: "All entries were added." }),
    ],
    connections: [],
  },
  {
    id: "health-check",
    name: "Health check of an address",
    description: "Every 15 minutes, check that an address answers, and log an error when it doesn't.",
    triggers: [
      { id: "every_quarter", type: "schedule", config: { cron: "*/15 * * * *", timeZone: "" } },
      BY_HAND,
    ],
    steps: [
      {
        ...step("check", "http_request", "Request the address", {
          method: "GET",
          url: `{{ ${URL} }}`,
          failOnStatus: false,
        }),
        options: { retries: 2, retryDelaySeconds: 5, timeoutSeconds: 20, onError: "branch" },
      },
      step("is_up", "condition", "Healthy?", {
        condition: "steps.check.status < 400",
        trueAction: "continue",
        falseAction: "note_down",
      }),
      step("note_up", "log", "Log as healthy", {
        level: "info",
        message: `{{ ${URL} }} returned HTTP {{ steps.check.status }}.`,
      }),
      step("note_down", "log", "Log as down", { level: "error", message: `{{ ${URL} }} is down.` }),
    ],
    connections: [
      { from: "every_quarter", to: "check" },
      { from: "by_hand", to: "check" },
      { from: "check", to: "is_up" },
      { from: "check", to: "note_down", branch: "error" },
      { from: "is_up", to: "note_up", branch: "true" },
      { from: "is_up", to: "note_down", branch: "false" },
    ],
  },
];
