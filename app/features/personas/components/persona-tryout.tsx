import { Play } from "lucide-react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { Textarea } from "~/ui/input";
import type { ServerField } from "~/ui/server-form";
import type { PersonaTrial } from "../personas.schema";

/** An answer of the unsaved persona, with the form that it was asked with. */
export interface Tryout {
  answer: string;
  /** The model that answered. */
  model: string;
  sent: PersonaTrial;
}

interface PersonaTryoutProps {
  question: ServerField;
  tryout: Tryout | undefined;
  isPending: boolean;
}

/** Asks the persona one question as the form has it; a plain post of the form without script. */
export function PersonaTryout({ question, tryout, isPending }: PersonaTryoutProps) {
  return (
    <section
      aria-label="Try it"
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-3 md:sticky md:top-0"
    >
      <h3 className="text-sm">Try It</h3>
      <Field
        label="Question"
        id={question.id}
        name={question.name}
        error={question.errors}
        hint="Ask before you save. Tools aren't called, and nothing is stored."
      >
        <Textarea rows={3} defaultValue={question.initialValue} placeholder="What would you look at first?" />
      </Field>
      <Button
        size="sm"
        name="intent"
        value="try"
        pending={isPending}
        icon={<Play aria-hidden="true" />}
        className="self-start"
      >
        Ask
      </Button>
      <div role="status" className="min-w-0 empty:hidden">
        {tryout && (
          <div className="border-line border-t pt-3">
            <p className="mb-1 text-muted text-xs">
              Answer by <span className="font-mono">{tryout.model}</span>
            </p>
            <p className="wrap-anywhere max-h-80 overflow-y-auto whitespace-pre-wrap text-sm">
              {tryout.answer || "The model returned no text."}
            </p>
          </div>
        )}
      </div>
    </section>
  );
}
