import { Play } from "lucide-react";
import { Button } from "~/ui/button";
import type { ServerField } from "~/ui/form-result";
import { Field, FieldError, Textarea } from "~/ui/input";
import type { PersonaTrial } from "../personas.schema";
import { type StreamedTryout, useTryout } from "./use-tryout";

/** A trial's answer and its form. */
export interface Tryout {
  answer: string;
  model: string;
  submitted: PersonaTrial;
}

interface PersonaTryoutProps {
  question: ServerField;
  tryout: Tryout | undefined;
  isPending: boolean;
}

/** Without JavaScript the form is posted. */
export function PersonaTryout({ question, tryout, isPending }: PersonaTryoutProps) {
  const { shown: streamed, onAsk } = useTryout();
  const answered = streamed ?? (tryout && { ...tryout, error: undefined, isRunning: false });
  return (
    <section
      aria-label="Try It"
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-3 md:sticky md:top-0"
    >
      <h3 className="text-sm">Try It</h3>
      <Field
        label="Question"
        id={question.id}
        name={question.name}
        error={streamed ? undefined : question.errors}
        hint="Ask before you save. Tools aren't called, and nothing is stored."
      >
        <Textarea rows={3} defaultValue={question.initialValue} placeholder="What would you look at first?" />
      </Field>
      <Button
        size="sm"
        name="intent"
        value="try"
        pending={isPending || streamed?.isRunning === true}
        onClick={onAsk}
        icon={<Play aria-hidden="true" />}
        className="self-start"
      >
        Ask
      </Button>
      <div role="status" className="min-w-0 empty:hidden">
        {answered && <Answer {...answered} />}
      </div>
    </section>
  );
}

function Answer({ answer, model, error, isRunning }: StreamedTryout) {
  return (
    <div className="flex flex-col gap-1 border-line border-t pt-3">
      {model && (
        <p className="text-muted text-xs">
          Answer by <span className="font-mono">{model}</span>
        </p>
      )}
      {isRunning && answer === "" && <p className="text-muted text-xs">Thinking…</p>}
      {answer !== "" && (
        <p className="wrap-anywhere max-h-80 overflow-y-auto whitespace-pre-wrap text-sm">{answer}</p>
      )}
      {!isRunning && answer === "" && !error && <p className="text-sm">The model returned no text.</p>}
      {error && <FieldError>{error}</FieldError>}
    </div>
  );
}
