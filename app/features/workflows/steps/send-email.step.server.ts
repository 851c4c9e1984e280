import { z } from "zod";
import { asText, requiredText } from "./config-values";
import { defineStep } from "./step-type";

const MOST_RECIPIENTS = 50;
const HAS_LINE_BREAK = /[\r\n\u2028\u2029\0]/;

/** Addresses from a list, or from a text that separates them by commas. */
function readAddresses(value: unknown): string[] {
  const items = Array.isArray(value) ? value.map(asText) : asText(value).split(/[,;]/);
  return items.map((item) => item.replace(/^[ \t]+|[ \t]+$/g, "")).filter(Boolean);
}

const Recipients = z.preprocess(
  readAddresses,
  z
    .array(
      z
        .string()
        .max(320)
        .refine((address) => !HAS_LINE_BREAK.test(address), "An email address can't have a line break")
        .refine((address) => z.email().safeParse(address).success, {
          error: ({ input }) => `This is not an email address: ${String(input).slice(0, 80)}`,
        }),
    )
    .min(1, "Enter at least one email address")
    .max(MOST_RECIPIENTS, `Use at most ${MOST_RECIPIENTS} recipients`),
);

export const sendEmail = defineStep({
  type: "send_email",
  label: "Send Email",
  description: "Send a message over the server's SMTP connection.",
  category: "Actions",
  node: "action",
  icon: "Mail",
  defaults: { to: "", subject: "", body: "" },
  config: z.object({
    to: Recipients,
    subject: requiredText("Enter a subject", 500).refine(
      (subject) => !HAS_LINE_BREAK.test(subject),
      "A subject can't have a line break",
    ),
    body: requiredText("Enter a message"),
  }),
  fields: [
    {
      name: "to",
      label: "To",
      hint: "Separate several addresses by commas.",
      control: { kind: "text" },
      language: "text",
    },
    { name: "subject", label: "Subject", control: { kind: "text" }, language: "text" },
    { name: "body", label: "Body", control: { kind: "textarea" }, language: "text" },
  ],
  outputs: { accepted: "Addresses that the server accepted", rejected: "Addresses that it rejected" },
  repeatable: false,
  timeoutMs: 60_000,
  async run({ config, services, idempotencyKey }) {
    const { to, subject, body } = config;
    return { output: await services.sendEmail({ to, subject, body, messageId: idempotencyKey }) };
  },
});
