import { ExternalLink } from "lucide-react";
import { type FormEvent, useContext, useState } from "react";
import type { Question, QuestionField } from "~/ai/tools/question.schema";
import { controlName, QUESTION_MINUTES } from "~/ai/tools/question.shared";
import { withBase } from "~/core/base-path";
import type { Control, FieldSpec } from "~/core/field.schema";
import { toDisplayText } from "~/core/well-formed";
import { Button } from "~/ui/button";
import { FormFields } from "~/ui/form-fields";
import type { Result } from "~/ui/form-result";
import { HiddenFields } from "~/ui/input";
import { ApprovalsContext } from "./conversation-provider";
import { PlainText } from "./plain-text";
import { sendAnswer } from "./send-decision";

const TYPES = { email: "email", uri: "url", date: "date" } as const;

/** Characters from which a text gets several lines. */
const LONG = 300;

function controlOf({ kind, format, min, max, options = [], required }: QuestionField): Control {
  switch (kind) {
    case "boolean":
      return { kind: "switch" };
    case "choices":
      return { kind: "checks", options };
    case "choice": {
      const none = { value: "", label: required ? "Choose…" : "No choice" };
      return { kind: "select", options: [none, ...options] };
    }
    case "number":
    case "integer":
      return {
        kind: "number",
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
        ...(kind === "integer" && { step: 1 }),
      };
    case "text":
      if (format && format !== "date-time") return { kind: "text", type: TYPES[format] };
      // Without a limit of its own it has the highest, and is seldom long.
      return { kind: max !== undefined && max > LONG && max < 10_000 ? "textarea" : "text" };
  }
}

const FORMAT_HINTS: Readonly<Record<string, string>> = {
  "date-time": "With its offset, such as 2026-03-31T14:30:00Z",
};

function specOf(field: QuestionField): FieldSpec {
  const { label, hint, format = "", pattern, required } = field;
  const fits = pattern && `Pattern: ${toDisplayText(pattern)}`;
  const hints = [hint && toDisplayText(hint), FORMAT_HINTS[format], fits].filter(Boolean).join(". ");
  return { label: toDisplayText(label), ...(hints && { hint: hints }), required, control: controlOf(field) };
}

function Fields({ fields, result }: { fields: readonly QuestionField[]; result: Result }) {
  const named = fields.map((field, at) => [controlName(at), field] as const);
  return (
    <FormFields
      fields={Object.fromEntries(named.map(([name, field]) => [name, specOf(field)]))}
      values={Object.fromEntries(named.map(([name, field]) => [name, field.default]))}
      result={result}
    />
  );
}

function AskedLink({ asker, url }: { asker: string; url: string }) {
  const { host } = new URL(url);
  return (
    <div className="space-y-1">
      <a
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        className="wrap-anywhere inline-flex min-h-8 items-center gap-1.5 text-primary-ink text-sm underline pointer-coarse:min-h-11"
      >
        <ExternalLink aria-hidden="true" className="size-4 shrink-0" />
        <span>
          Open <bdi>{host}</bdi>
        </span>
      </a>
      <p className="wrap-anywhere font-mono text-muted text-xs">
        <bdi>{url}</bdi>
      </p>
      <p className="text-muted text-xs">
        {asker} chose this address. Check that you know it before you enter anything there.
      </p>
    </div>
  );
}

/** A running call's question: a plain form, or sent in place with JavaScript. */
export function QuestionForm({ question, tool }: { question: Question; tool: string }) {
  const approvals = useContext(ApprovalsContext);
  const { id, message, fields, url } = question;
  const returned = approvals?.refusedAnswer?.questionId === id ? approvals.refusedAnswer.result : undefined;
  const [result, setResult] = useState<Result>(returned);
  const [sending, setSending] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    const conversationId = approvals?.action.split("/").at(-1);
    if (!conversationId) return;
    event.preventDefault();
    const form = event.currentTarget;
    setSending(true);
    try {
      const sent = await sendAnswer(conversationId, question, new FormData(form, submitter));
      if (sent === "sent") approvals?.onAnswered?.();
      else if (sent !== "failed") {
        setResult({ error: sent });
        form.querySelector<HTMLElement>(`[name="${Object.keys(sent)[0]}"]`)?.focus();
      }
    } finally {
      setSending(false);
    }
  };
  const asker = toDisplayText(question.asker);
  const action = { size: "sm", name: "action", disabled: sending } as const;
  return (
    <section
      data-question={id}
      aria-label={`Question of ${asker}`}
      className="space-y-3 rounded-md border border-warning-ink bg-surface p-3"
    >
      <div>
        <p className="wrap-anywhere font-medium text-sm">
          <bdi>{asker}</bdi> asks:
        </p>
        <PlainText text={message} className="text-sm" />
      </div>
      {approvals ? (
        <form
          method="post"
          action={withBase(approvals.action)}
          onSubmit={submit}
          noValidate
          data-sends-itself
          className="space-y-3"
        >
          <HiddenFields values={{ intent: "answer-question", questionId: id }} />
          {url && <AskedLink asker={asker} url={url} />}
          {fields && fields.length > 0 && <Fields fields={fields} result={result} />}
          <p className="wrap-anywhere text-muted text-xs">
            {fields &&
              `What you enter is sent to ${asker}. Never enter passwords, keys or card numbers here. `}
            The call of {toDisplayText(tool)} waits up to {QUESTION_MINUTES} minutes.
          </p>
          <div className="flex flex-wrap gap-2">
            <Button {...action} value="accept" variant="primary">
              {url ? "Continue" : "Send Answer"}
            </Button>
            <Button {...action} value="decline">
              Decline
            </Button>
            <Button {...action} value="cancel" variant="ghost">
              Dismiss
            </Button>
          </div>
        </form>
      ) : (
        <p className="text-muted text-xs">It waits for the answer of the conversation's owner.</p>
      )}
    </section>
  );
}
