import { Form } from "@remix-run/react";
import { Search } from "lucide-react";
import { useId } from "react";
import { Button } from "~/ui/button";
import { Checkbox } from "~/ui/choice";
import { Dialog, FormActions } from "~/ui/dialog";
import { Field, Input, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { PassageChoice, QuestionForm } from "~/work/search/evaluation/check-form.shared";

function Choice({ choice, index }: { choice: PassageChoice; index: number }) {
  return (
    <li className="rounded-md border border-line px-3 py-2">
      <input type="hidden" name={`document-${index}`} value={choice.documentId} />
      <input type="hidden" name={`title-${index}`} value={choice.document} />
      <input type="hidden" name={`location-${index}`} value={choice.location} />
      <Checkbox
        name="ticked"
        value={index}
        defaultChecked={choice.ticked}
        label={<span className="wrap-anywhere font-medium">{choice.document}</span>}
        hint={choice.location || undefined}
      />
      <Field label="Answering text" hideLabel className="mt-1 mb-1">
        <Textarea name={`quote-${index}`} rows={3} defaultValue={choice.quote} className="text-xs" />
      </Field>
    </li>
  );
}

export function QuestionDialog({ form, closeTo }: { form: QuestionForm; closeTo: string }) {
  const { id, question, choices, other, error, notice } = form;
  const hasQuestion = question !== "";
  const heading = useId();
  return (
    <Dialog
      title={id ? "Edit Question" : "Add Question"}
      description="Select the passages that answer the question and trim them to the relevant words."
      closeTo={closeTo}
      size="lg"
    >
      <Form action="/rag/check" preventScrollReset className="flex items-end gap-2">
        <input type="hidden" name="dialog" value={id ? "edit" : "add"} />
        {id && <input type="hidden" name="id" value={id} />}
        <Field label="Question" name="q" className="flex-1">
          <Input
            key={question}
            defaultValue={question}
            placeholder="Vacation days per year?"
            maxLength={500}
          />
        </Field>
        <Button icon={<Search aria-hidden="true" />}>Search</Button>
      </Form>
      {hasQuestion && (
        <Form method="post" action="/rag/check" className="mt-4 flex flex-col gap-3">
          {error && <Notice kind="danger">{error}</Notice>}
          {notice && <Notice>{notice}</Notice>}
          {id && <input type="hidden" name="id" value={id} />}
          <input type="hidden" name="question" value={question} />
          {choices.length > 0 && (
            <section aria-labelledby={heading}>
              <h3 id={heading} className="mb-2 text-muted text-xs">
                Passages
              </h3>
              <ul className="flex flex-col gap-2">
                {choices.map((choice, index) => (
                  <Choice key={`${choice.documentId} ${choice.quote}`} choice={choice} index={index} />
                ))}
              </ul>
            </section>
          )}
          <details open={choices.length === 0 || other.quote !== ""}>
            <summary className="disclosure min-h-8 cursor-pointer py-1.5 text-muted text-sm pointer-coarse:min-h-11">
              A passage the search didn't find
            </summary>
            <div className="flex flex-col gap-3 pt-2">
              <Field label="Document" name="other-document" hint="Enter its name or address">
                <Input defaultValue={other.document} autoComplete="off" />
              </Field>
              <Field label="Answering text" name="other-quote" hint="Copy it exactly from the document">
                <Textarea rows={3} defaultValue={other.quote} />
              </Field>
            </div>
          </details>
          <FormActions
            closeTo={closeTo}
            intent={id ? "change" : "add"}
            label={id ? "Save Question" : "Add Question"}
          />
        </Form>
      )}
    </Dialog>
  );
}
