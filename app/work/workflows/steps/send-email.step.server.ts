import { z } from "zod";
import { MAX_RESULT_FILES } from "~/ai/tools/files/result-files.shared";
import { fileIds, HAS_LINE_BREAK, recipients, requiredText } from "./step-config";
import { defineStep, filesField } from "./step-type";

export const sendEmail = defineStep({
  type: "send_email",
  label: "Send Email",
  description: "Send a message over the server's SMTP connection.",
  category: "Actions",
  node: "action",
  icon: "Mail",
  defaults: { to: "", subject: "", body: "", files: "" },
  config: z.object({
    to: recipients(1),
    subject: requiredText("Enter a subject", 500).refine(
      (subject) => !HAS_LINE_BREAK.test(subject),
      "A subject can't have a line break",
    ),
    body: requiredText("Enter a message"),
    files: fileIds(MAX_RESULT_FILES),
  }),
  fields: [
    { name: "to", label: "To", hint: "Separate several addresses by commas.", control: { kind: "text" } },
    { name: "subject", label: "Subject", control: { kind: "text" } },
    { name: "body", label: "Body", control: { kind: "textarea" } },
    filesField("files", "Attachments", "Attaches files of steps."),
  ],
  outputs: { accepted: "Addresses that the server accepted", rejected: "Addresses that it rejected" },
  repeatable: false,
  timeoutMs: 60_000,
  async run({ config, services, idempotencyKey }) {
    const { to, subject, body, files } = config;
    const attached = files.length > 0 ? { files } : {};
    return {
      output: await services.sendEmail({ to, subject, body, ...attached, messageId: idempotencyKey }),
    };
  },
});
