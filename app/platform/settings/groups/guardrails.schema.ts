import { z } from "zod";
import { address, choice, choices, type Field, text, toggle } from "~/core/field.schema";
import { PII_KINDS } from "~/core/find-pii";
import { linesOf } from "~/core/well-formed";
import { defineGroup } from "./group.schema";

const appliedBy = "guardrails";

const PII_LABELS: Record<(typeof PII_KINDS)[number], string> = {
  email: "Email addresses",
  phone: "Phone numbers",
  card: "Card numbers",
  iban: "IBANs",
  ip: "IP addresses",
  ssn: "US social security numbers",
  secret: "API keys",
};

const MAX_PHRASES = 500;
const MAX_PHRASE = 100;
/** Letters or digits that a phrase has at least, so that none matches nearly every text. */
const MIN_LETTERS = 3;
const MAX_WILDCARDS = 3;

const LETTERS = /[\p{L}\p{N}]/gu;

/** Undefined if it can be used. */
function phraseProblem(phrase: string): string | undefined {
  const named = `"${phrase.slice(0, 30)}"`;
  if (phrase.length > MAX_PHRASE) return `Use at most ${MAX_PHRASE} characters in a phrase: ${named}`;
  const letters = phrase.match(LETTERS) ?? [];
  // One character of Chinese or Japanese can be a word.
  const isWord = letters.length >= MIN_LETTERS || /\p{Script=Han}{2}/u.test(phrase);
  if (!isWord) return `Use at least ${MIN_LETTERS} letters or digits in a phrase: ${named}`;
  if (phrase.split("*").length - 1 > MAX_WILDCARDS)
    return `Use at most ${MAX_WILDCARDS} asterisks in a phrase: ${named}`;
  return undefined;
}

/** One phrase a line, as it is kept. */
export const phraseLines = (lines: string): string[] => [...new Set(linesOf(lines))];

const MAX_LIST = 20_000;

/** A block list as text, one phrase a line; `*` stands for the rest of a word. */
export const Phrases = z
  .string("Enter text")
  .trim()
  .max(MAX_LIST, `Use at most ${MAX_LIST.toLocaleString("en-US")} characters`)
  .superRefine((value, context) => {
    const phrases = phraseLines(value);
    if (phrases.length > MAX_PHRASES)
      context.addIssue({ code: "custom", message: `Enter at most ${MAX_PHRASES} phrases` });
    const problem = phrases.map(phraseProblem).find(Boolean);
    if (problem) context.addIssue({ code: "custom", message: problem });
  });

const blocked: Field<string> = {
  label: "Blocked words and phrases",
  hint: "Enter one a line; * stands for the rest of a word, such as project-*. A request or an answer that has one is refused",
  appliedBy,
  schema: Phrases,
  fallback: "",
  control: { kind: "textarea", maxLength: MAX_LIST },
  long: true,
};

export const guardrails = defineGroup({
  id: "guardrails",
  label: "Guardrails",
  permission: "settings.manage",
  fields: {
    maskPii: toggle(false, {
      label: "Mask personal data in requests",
      hint: "Replace it by placeholders before it leaves for a model, and put it back into the answer",
      appliedBy,
    }),
    maskAnswers: toggle(false, {
      label: "Blank out personal data in answers",
      hint: "Replace what a model wrote itself, such as an email address, by [EMAIL]",
      appliedBy,
    }),
    piiKinds: choices(
      PII_KINDS,
      { label: "Personal data", hint: "Choose what is looked for", appliedBy },
      PII_LABELS,
    ),
    presidioAddress: {
      ...address({
        label: "Presidio analyzer",
        hint: "Enter the address of an analyzer, which also finds names and places in requests; leave blank for none",
        appliedBy,
      }),
      control: { kind: "text", maxLength: 500, suggestions: ["http://localhost:5002"] },
    },
    presidioEntities: text("PERSON, LOCATION", {
      label: "Presidio's entities",
      hint: "Name what it looks for, separated by commas; leave blank for all that it knows",
      max: 240,
      appliedBy,
    }),
    presidioLanguage: text("en", {
      label: "Presidio's language",
      hint: "Enter the code of a language that it was set up for",
      min: 2,
      max: 20,
      appliedBy,
    }),
    blocked,
    moderator: choice(
      ["none", "service", "model"],
      "none",
      { label: "Moderator", hint: "Choose what judges texts", appliedBy },
      {
        none: "None",
        service: "Moderation service (OpenAI's API)",
        model: "Chat model",
      },
    ),
    moderates: choices(
      ["requests", "answers"],
      {
        label: "Moderated",
        hint: "Choose what is judged; answers then appear in parts",
        appliedBy,
        usedWith: { field: "moderator", values: ["service", "model"] },
      },
      { requests: "Requests", answers: "Answers" },
    ),
    moderationModel: text("omni-moderation-latest", {
      label: "Moderation model",
      hint: "Enter the service's model, or the ID of the chat model",
      min: 1,
      max: 200,
      appliedBy,
      usedWith: { field: "moderator", values: ["service", "model"] },
    }),
    moderationAddress: {
      ...address({
        label: "Moderation service",
        hint: "Enter the address of a service with OpenAI's /v1/moderations",
        appliedBy,
        usedWith: { field: "moderator", values: ["service"] },
      }),
      control: { kind: "text", maxLength: 500, suggestions: ["https://api.openai.com"] },
    },
    moderationKeyId: text("", {
      label: "Service's key",
      hint: "Choose a key reference that is bound to this address, if the service needs one",
      max: 100,
      appliedBy,
      usedWith: { field: "moderator", values: ["service"] },
    }),
    moderationPolicy: text(
      "Refuse hate, harassment, sexual content about minors, and instructions for violence, weapons or self-harm.",
      {
        label: "Chat model's policy",
        hint: "Say what a chat model refuses",
        min: 10,
        max: 4000,
        appliedBy,
        usedWith: { field: "moderator", values: ["model"] },
      },
    ),
    onFailure: choice(
      ["refuse", "allow"],
      "refuse",
      {
        label: "If a check fails",
        hint: "Choose what becomes of a text that Presidio or the moderator couldn't check",
        appliedBy,
      },
      { refuse: "Refuse it (safe)", allow: "Let it pass unchecked" },
    ),
  },
});
